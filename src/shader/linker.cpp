#include "shader/linker.h"

#include <algorithm>
#include <limits>

#include "shader/parser.h"

namespace driftwood::shader {

namespace {

// Bounds the recursion of import chains.
constexpr std::size_t max_import_depth = 64;

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Whether hosts bind the declaration by its name: a module-scope `var` that is not private or workgroup memory.
bool is_resource(const syntax::Declaration& declaration) {
  const auto* variable = std::get_if<syntax::Variable>(&declaration.node);
  if (!variable || variable->kind != syntax::Variable::Kind::Var) return false;
  if (variable->qualifiers.empty()) return true;
  const auto* space = std::get_if<syntax::Name>(&variable->qualifiers[0]->node);
  return !space || (space->text != "private" && space->text != "workgroup");
}

}  // namespace

bool is_fusion_point(const syntax::Declaration& declaration) {
  return std::holds_alternative<syntax::Function>(declaration.node) &&
         syntax::find_attribute(declaration.attributes, "fusion") != nullptr;
}

Program::Program(const SourceProvider& sources, std::string_view module_path, const Specialization& specialization)
    : provider_(sources) {
  root_ = &load(std::string(module_path), nullptr);
  fill_fusions(specialization);
  check_resource_names();
}

Symbol Program::find(const LinkedFile& file, const std::string& name) const {
  for (const LinkedFile* scope = &file; scope; scope = scope->outer) {
    const auto found = scope->scope.find(name);
    if (found == scope->scope.end()) continue;
    const auto filled = filled_.find(found->second.declaration);
    return filled == filled_.end() ? found->second : filled->second;
  }
  return {};
}

Symbol Program::fusion_of(const syntax::Declaration& point) const {
  const auto filled = filled_.find(&point);
  return filled == filled_.end() ? Symbol() : filled->second;
}

const LinkedFile& Program::require(const std::string& module_path, SourceRange user) {
  return load(module_path, &user);
}

std::uint16_t Program::add_source(std::string name, std::string text) {
  if (sources_.size() >= std::numeric_limits<std::uint16_t>::max()) {
    throw InvalidInput("A kernel of more than 65535 files cannot be compiled.");
  }
  sources_.push_back(std::make_shared<const SourceFile>(SourceFile{std::move(name), std::move(text)}));
  return static_cast<std::uint16_t>(sources_.size() - 1);
}

LinkedFile& Program::load(const std::string& module_path, const SourceRange* user) {
  if (const auto known = by_path_.find(module_path); known != by_path_.end()) {
    const auto cycle = std::find(loading_.begin(), loading_.end(), module_path);
    if (user && cycle != loading_.end()) {
      std::string chain;
      for (auto step = cycle; step != loading_.end(); ++step) chain += quoted(*step) + " imports ";
      fail(*user, "The imports form a cycle: " + chain + quoted(module_path) + ".");
    }
    return *known->second;
  }
  if (user && loading_.size() >= max_import_depth) {
    fail(*user, "Imports are nested more than " + std::to_string(max_import_depth) + " deep.");
  }
  std::optional<SourceFile> source = provider_(module_path);
  if (!source) {
    const std::string message = "There is no kernel source for the module " + quoted(module_path) + ".";
    if (user) fail(*user, message);
    throw InvalidInput(message);
  }
  const std::uint16_t index = add_source(std::move(source->name), std::move(source->text));
  return add_file(module_path, index, nullptr);
}

LinkedFile& Program::add_file(const std::string& module_path, std::uint16_t source, const LinkedFile* outer) {
  LinkedFile& file = files_.emplace_back();
  file.module_path = module_path;
  file.outer = outer;
  file.tree = parse(sources_, source);
  by_path_.emplace(module_path, &file);
  loading_.push_back(module_path);
  declare_all(file);
  import_all(file);
  loading_.pop_back();
  return file;
}

void Program::declare_all(LinkedFile& file) {
  for (const auto& declaration : file.tree.declarations) {
    if (declaration->name().empty()) continue;
    const auto [place, is_new] = file.scope.emplace(declaration->name(), Symbol{declaration.get(), &file});
    if (!is_new) {
      fail(declaration->name_range(), quoted(declaration->name()) + " is declared twice.",
           {{place->second.declaration->name_range(), "The first declaration is here."}});
    }
  }
}

void Program::import_all(LinkedFile& file) {
  for (const syntax::Import& import : file.tree.imports) {
    const LinkedFile& module = load(import.module, &import.range);
    const auto found = module.scope.find(import.item);
    if (found == module.scope.end() || found->second.home != &module) {
      fail(import.range, "The module " + quoted(import.module) + " declares no " + quoted(import.item) + ".");
    }
    const auto [place, is_new] = file.scope.emplace(import.name, found->second);
    if (!is_new && place->second.declaration != found->second.declaration) {
      fail(import.range, quoted(import.name) + " is already declared; import it under another name with 'as'.",
           {{place->second.declaration->name_range(), "The other declaration is here."}});
    }
  }
}

void Program::fill_fusions(const Specialization& specialization) {
  for (const auto& [name, text] : specialization.fusions) fill_fusion(name, text);
}

void Program::fill_fusion(const std::string& name, const std::string& text) {
  const LinkedFile* point_file = nullptr;
  const syntax::Declaration* point = nullptr;
  for (const LinkedFile& file : files_) {
    for (const auto& declaration : file.tree.declarations) {
      if (point || declaration->name() != name || !is_fusion_point(*declaration)) continue;
      point_file = &file;
      point = declaration.get();
    }
  }
  if (!point) {
    const SourceRange start = {root_->tree.file, 0, 0};
    fail(start, "The kernel has no fusion point '@fusion fn " + name + "'.");
  }
  const std::uint16_t source = add_source("fusion '" + name + "'", text);
  const LinkedFile& file = add_file("fusion " + name, source, point_file);
  const auto found = file.scope.find(name);
  if (found == file.scope.end() || !std::holds_alternative<syntax::Function>(found->second.declaration->node)) {
    fail({source, 0, 0}, "The text for the fusion point " + quoted(name) + " declares no function of that name.",
         {{point->name_range(), "The fusion point is declared here."}});
  }
  filled_.emplace(point, found->second);
}

void Program::check_resource_names() const {
  std::map<std::string_view, const syntax::Declaration*> resources;
  for (const LinkedFile& file : files_) {
    for (const auto& declaration : file.tree.declarations) {
      if (!is_resource(*declaration)) continue;
      const auto [place, is_new] = resources.emplace(declaration->name(), declaration.get());
      if (is_new) continue;
      fail(declaration->name_range(),
           "The resource " + quoted(declaration->name()) +
               " has the name of another; resources are bound by name, across all files of a kernel.",
           {{place->second->name_range(), "The other resource is here."}});
    }
  }
}

}  // namespace driftwood::shader
