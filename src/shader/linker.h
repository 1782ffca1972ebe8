// From one kernel file to all the files it needs: imports loaded, fusion points filled, every file's names known.
//
// Imports have the WESL form `import package::reduce::workgroup_sum;`. Nothing is renamed here: each file keeps its
// own scope, and the checker gives the declarations of the module names that are unique.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "shader/compile.h"
#include "shader/diagnostics.h"
#include "shader/syntax.h"

namespace driftwood::shader {

struct LinkedFile;

/// A module-scope declaration and the file that holds it.
struct Symbol {
  const syntax::Declaration* declaration = nullptr;
  const LinkedFile* home = nullptr;
};

struct LinkedFile {
  std::string module_path;  // "package::reduce"; for fusions "fusion epilogue"
  syntax::File tree;
  std::unordered_map<std::string, Symbol> scope;  // own declarations and imports
  const LinkedFile* outer = nullptr;              // of a fusion: the file whose fusion point it fills
};

/// All files of one kernel. Files are never moved, so that declarations may be pointed to.
class Program {
 public:
  /// Loads and links the file of `module_path` with everything it imports, and the specialisation's fusions.
  Program(const SourceProvider& sources, std::string_view module_path, const Specialization& specialization);

  /// The kernel's own file.
  const LinkedFile& root() const { return *root_; }
  /// The kernel's file, then imported files in order of first import, then fusions by name.
  const std::deque<LinkedFile>& files() const { return files_; }
  const SourceFiles& sources() const { return sources_; }

  /// What `name` means at module scope of `file`, fusion points replaced; an empty Symbol if nothing.
  Symbol find(const LinkedFile& file, const std::string& name) const;

  /// The function that fills a fusion point; an empty Symbol if none does.
  Symbol fusion_of(const syntax::Declaration& point) const;

  /// The file of that module, loaded now if no import named it (used for formats of packed weights). `user` is where
  /// errors point.
  const LinkedFile& require(const std::string& module_path, SourceRange user);

  /// Adds text that no file holds, such as the value of an alias; returns its index among the sources.
  std::uint16_t add_source(std::string name, std::string text);

  [[noreturn]] void fail(SourceRange range, const std::string& message, const std::vector<Note>& notes = {}) const {
    throw CompileError(sources_, range, message, notes);
  }

 private:
  LinkedFile& load(const std::string& module_path, const SourceRange* user);
  LinkedFile& add_file(const std::string& module_path, std::uint16_t source, const LinkedFile* outer);
  void declare_all(LinkedFile& file);
  void import_all(LinkedFile& file);
  void fill_fusions(const Specialization& specialization);
  void fill_fusion(const std::string& name, const std::string& text);
  void check_resource_names() const;

  const SourceProvider& provider_;
  SourceFiles sources_;
  std::deque<LinkedFile> files_;
  std::map<std::string, LinkedFile*, std::less<>> by_path_;
  std::unordered_map<const syntax::Declaration*, Symbol> filled_;  // fusion points
  std::vector<std::string> loading_;                               // the chain of imports being followed
  LinkedFile* root_ = nullptr;
};

/// Whether the function is a fusion point (`@fusion`).
bool is_fusion_point(const syntax::Declaration& declaration);

}  // namespace driftwood::shader
