#include "base/error.h"
#include "shader/wgsl/printer.h"

namespace driftwood::shader {

namespace {

// Whether the layout of a type is one of the uniform address space: the elements of arrays and the structures inside
// begin at multiples of 16 bytes.
bool is_uniform_layout(const TypePtr& type) {
  if (const auto* array = type->as<ArrayType>()) {
    const std::uint32_t alignment = std::max(alignment_of(array->element), 1U);
    const std::uint32_t stride = (size_of(array->element) + alignment - 1) / alignment * alignment;
    return array->count.has_value() && stride % 16 == 0 && is_uniform_layout(array->element);
  }
  const auto* structure = type->as<StructType>();
  if (structure == nullptr) return true;
  for (std::size_t i = 0; i < structure->fields.size(); ++i) {
    const StructType::Field& field = structure->fields[i];
    if (!is_uniform_layout(field.type)) return false;
    const bool is_structure = field.type->as<StructType>() != nullptr;
    if ((is_structure || field.type->as<ArrayType>() != nullptr) && field.offset % 16 != 0) return false;
    if (!is_structure || i + 1 == structure->fields.size()) continue;
    if (structure->fields[i + 1].offset - field.offset < (size_of(field.type) + 15) / 16 * 16) return false;
  }
  return true;
}

}  // namespace

bool is_wgsl_uniform(const Resource& resource) {
  return resource.kind == Resource::Kind::Uniform && is_uniform_layout(resource.type);
}

namespace wgsl {

namespace {

std::string texel_scalar(DataType texel) {
  switch (texel) {
    case DataType::I8:
    case DataType::I32: return "i32";
    case DataType::U8:
    case DataType::U32: return "u32";
    default: return "f32";
  }
}

std::string texel_format(const Resource& object) {
  switch (object.texel) {
    case DataType::F32: return "rgba32float";
    case DataType::F16: return "rgba16float";
    case DataType::I8: return "rgba8sint";
    case DataType::U8: return "rgba8uint";
    case DataType::I32: return "rgba32sint";
    case DataType::U32: return "rgba32uint";
    default:
      throw InternalError("The object '" + object.name + "' has texels of type " +
                          std::string(to_string(object.texel)) + ", which no object can hold.");
  }
}

std::string texture_type(const Resource& object) {
  std::string shape;
  switch (object.storage) {
    case StorageKind::Texture2D: shape = "2d"; break;
    case StorageKind::Texture3D: shape = "3d"; break;
    case StorageKind::Texture2DArray: shape = "2d_array"; break;
    default: throw Unsupported("The object '" + object.name + "' is an image buffer; WebGPU has no texel buffers.");
  }
  if (object.access == Access::Read) return "texture_" + shape + "<" + texel_scalar(object.texel) + ">";
  if (object.access == Access::Write) return "texture_storage_" + shape + "<" + texel_format(object) + ", write>";
  throw Unsupported("The object '" + object.name +
                    "' is a texture that one kernel reads and writes; WebGPU allows that for buffers only.");
}

bool is_buffer(const Resource& resource) {
  return resource.kind != Resource::Kind::Object || resource.storage == StorageKind::Buffer;
}

}  // namespace

// The element of an object's buffer, or the whole type of another resource: what two names of one binding must share.
std::string Printer::element_text(const Resource& resource) {
  if (resource.kind != Resource::Kind::Object) return memory_type_name(resource.type, resource.name);
  switch (resource.texel) {
    case DataType::F32: return "array<vec4<f32>>";
    case DataType::I32: return "array<vec4<i32>>";
    case DataType::U32: return "array<vec4<u32>>";
    case DataType::I8:
    case DataType::U8: return "array<u32>";
    case DataType::F16: {
      if (texels_are_words()) return "array<vec2<u32>>";
      uses_f16_ = true;
      return "array<vec4<f16>>";
    }
    default: break;
  }
  return texel_format(resource);  // throws
}

const Resource& Printer::bound(const Resource& resource) const {
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    if (module_.resources[i].get() == &resource && bindings_[i].alias) return *module_.resources[*bindings_[i].alias];
  }
  return resource;
}

void Printer::check_bindings() const {
  const std::size_t count = module_.resources.size();
  if (bindings_.size() > count) {
    throw InvalidInput("There are " + std::to_string(bindings_.size()) + " bindings for a kernel of " +
                       std::to_string(count) + " resources.");
  }
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    if (!bindings_[i].alias) continue;
    const std::string& own = module_.resources[i]->name;
    const std::uint32_t target = *bindings_[i].alias;
    if (target >= count || target == i) {
      throw InvalidInput("'" + own + "' is said to be bound as resource " + std::to_string(target) +
                         ", but the kernel has the resources 0 to " + std::to_string(count - 1) + ".");
    }
    if (target < bindings_.size() && bindings_[target].alias) {
      throw InvalidInput("'" + own + "' is said to be bound as '" + module_.resources[target]->name +
                         "', which is itself another's.");
    }
  }
}

std::string Printer::resource_text(const Resource& resource) {
  const auto at = static_cast<std::size_t>(resource.binding);
  if (at < bindings_.size() && bindings_[at].alias) {
    const Resource& target = bound(resource);
    if (!is_buffer(resource) || !is_buffer(target) || is_wgsl_uniform(resource) || is_wgsl_uniform(target) ||
        element_text(resource) != element_text(target)) {
      throw InvalidInput("'" + resource.name + "' and '" + target.name +
                         "' cannot share a binding: they are no storage buffers of one type.");
    }
    return "";
  }
  const std::string place = "@group(0) @binding(" + std::to_string(resource.binding) + ") ";
  const std::string declared = name(resource.name);
  if (!is_buffer(resource)) return place + "var " + declared + ": " + texture_type(resource) + ";";
  const std::string type = element_text(resource);
  if (is_wgsl_uniform(resource)) return place + "var<uniform> " + declared + ": " + type + ";";
  bool writes = resource.kind != Resource::Kind::Uniform && resource.access != Access::Read;
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    const bool is_own = module_.resources[i].get() == &resource;
    const bool is_name = bindings_[i].alias && module_.resources[*bindings_[i].alias].get() == &resource;
    writes = writes || ((is_own || is_name) && bindings_[i].read_write);
    writes = writes || (is_name && module_.resources[i]->access != Access::Read);
  }
  return place + "var<storage, " + (writes ? "read_write" : "read") + "> " + declared + ": " + type + ";";
}

}  // namespace wgsl

}  // namespace driftwood::shader
