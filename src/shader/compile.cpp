#include "shader/compile.h"

#include "shader/checker.h"
#include "shader/optimize.h"
#include "shader/virtualize.h"

namespace driftwood::shader {

Module compile(const SourceProvider& sources, std::string_view module_path, const Specialization& specialization,
               const TargetTraits& traits, std::string_view entry_point) {
  Module module = check(sources, module_path, specialization, entry_point);
  virtualize(module);
  optimize(module, traits);
  return module;
}

}  // namespace driftwood::shader
