#include "shader/checker.h"

#include "shader/checking/checker_state.h"

namespace driftwood::shader {

namespace checking {

Module Checker::run(std::string_view entry_point) {
  check_specialization_names();
  // Before any call is checked, so that a fusion that does not fit is blamed itself.
  for (const LinkedFile& file : program_.files()) {
    for (const auto& declaration : file.tree.declarations) {
      if (is_fusion_point(*declaration)) check_fusion_signature(*declaration, file);
    }
  }
  check_file(program_.root());
  // Files may be added while others are checked (formats of weights), so no iterators.
  for (std::size_t i = 0; i < program_.files().size(); ++i) {
    const LinkedFile& file = program_.files()[i];
    if (file.outer) check_file(file);
  }
  return assemble(*find_entry_point(entry_point).instances.front()->function);
}

}  // namespace checking

Module check(Program& program, const Specialization& specialization, std::string_view entry_point) {
  return checking::Checker(program, specialization).run(entry_point);
}

Module check(const SourceProvider& sources, std::string_view module_path, const Specialization& specialization,
             std::string_view entry_point) {
  Program program(sources, module_path, specialization);
  return check(program, specialization, entry_point);
}

}  // namespace driftwood::shader
