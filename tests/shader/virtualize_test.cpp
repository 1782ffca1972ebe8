// Virtualisation from the typed tree to the text of OpenCL C: addresses must be what a hand would write.
#include "shader/virtualize.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "shader/emit_opencl.h"
#include "shader/ir_build.h"

namespace driftwood::shader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr StorageKind Buffer = StorageKind::Buffer, ImageBuffer = StorageKind::ImageBuffer,
                      Texture2D = StorageKind::Texture2D, Texture3D = StorageKind::Texture3D,
                      Texture2DArray = StorageKind::Texture2DArray;
constexpr Shape shape = {.b = 11, .h = 5, .w = 3, .d = 2, .c = 26};  // 7 slices

TensorDescriptor in(StorageKind kind, std::string_view layout, const Shape& of = shape, std::uint32_t objects = 1,
                    DataType type = DataType::F32) {
  return {.shape = of, .data_type = type, .storage = kind, .layout = *find_layout(layout, kind), .objects = objects};
}

// A kernel with immutable b, y, x, d and s that stores to o, a tensor of one texel.
class Probe {
 public:
  explicit Probe(Scalar index = Scalar::U32) {
    auto function = std::make_unique<Function>();
    function->name = "probe";
    function->result = void_type();
    function->is_entry_point = true;
    module.entry_point = function.get();
    module.functions.push_back(std::move(function));
    output = &tensor("o", Access::Write, {.layout = *find_layout("linear", Buffer)});
    for (const char* name : {"b", "y", "x", "d", "s"}) {
      auto variable = build::variable(name, scalar_type(index), true);
      variables[name] = variable.get();
      body().push_back(build::declare(std::move(variable), nullptr));
    }
  }

  Block& body() { return module.entry_point->body; }

  Resource& tensor(std::string name, Access access, const TensorDescriptor& descriptor, Scalar value = Scalar::F32) {
    auto resource = std::make_unique<Resource>();
    resource->name = std::move(name);
    resource->kind = Resource::Kind::Tensor;
    resource->access = access;
    resource->type = std::make_shared<const Type>(Type{TensorType{value}});
    resource->tensor = descriptor;
    return add(std::move(resource));
  }

  Resource& weights(std::string name, const WeightsDescriptor& descriptor) {
    auto resource = std::make_unique<Resource>();
    resource->name = std::move(name);
    resource->kind = Resource::Kind::Weights;
    resource->type = std::make_shared<const Type>(Type{WeightsType{Scalar::F32}});
    resource->weights = descriptor;
    return add(std::move(resource));
  }

  ExpressionPtr operator[](const char* name) { return build::read(*variables.at(name)); }
  std::vector<ExpressionPtr> position() {
    return build::list((*this)["b"], (*this)["y"], (*this)["x"], (*this)["d"], (*this)["s"]);
  }

  static ExpressionPtr name(Resource& resource) {
    return build::expression(resource.type, ResourceExpression{&resource});
  }

  static ExpressionPtr load(Resource& from, std::vector<ExpressionPtr> at) {
    at.insert(at.begin(), name(from));
    return build::call(Builtin::TensorLoad, vector_type(from.type->as<TensorType>()->value, 4), std::move(at));
  }

  void store(Resource& to, std::vector<ExpressionPtr> at, ExpressionPtr value) {
    at.insert(at.begin(), name(to));
    at.push_back(std::move(value));
    body().push_back(build::statement(CallStatement{build::call(Builtin::TensorStore, void_type(), std::move(at))}));
  }

  // Stores the value to o.
  void output_value(ExpressionPtr value) { store(*output, build::list(build::literal_i32(0)), std::move(value)); }

  std::string emit() {
    virtualize(module);
    return emit_opencl(module);
  }

  // The text between `before` and `after` in the emitted source.
  std::string emitted(const std::string& before, const std::string& after) {
    const std::string text = emit();
    const std::size_t begin = text.find(before);
    if (begin == std::string::npos) return "no '" + before + "' in\n" + text;
    const std::size_t from = begin + before.size();
    return text.substr(from, text.find(after, from) - from);
  }

  Module module;
  std::map<std::string, Variable*> variables;
  Resource* output = nullptr;

 private:
  Resource& add(std::unique_ptr<Resource> resource) {
    resource->binding = static_cast<std::uint32_t>(module.resources.size());
    module.resources.push_back(std::move(resource));
    return *module.resources.back();
  }
};

std::string loaded(const TensorDescriptor& descriptor) {
  Probe probe;
  Resource& t = probe.tensor("t", Access::Read, descriptor);
  probe.output_value(Probe::load(t, probe.position()));
  return probe.emitted("o[0] = ", ";\n");
}

Shape without(Shape of, std::string_view axes) {
  for (const char axis : axes) (axis == 'b' ? of.b : axis == 'd' ? of.d : of.c) = 1;
  return of;
}

TEST(Virtualize, AddressesAreThoseOfTheLayoutTable) {
  struct Case {
    StorageKind kind;
    const char* layout;
    Shape shape;
    const char* text;
  };
  const Shape hwc = without(shape, "bd"), bhwc = without(shape, "d"), hwdc = without(shape, "b"),
              hw = without(shape, "bdc"), bhwd = without(shape, "c");
  for (const Case& c : {
           Case{Buffer, "hwc", hwc, "t[(s * 5u + y) * 3u + x]"},
           {Buffer, "bhwc", bhwc, "t[((s * 5u + y) * 3u + x) * 11u + b]"},
           {Buffer, "hwdc", hwdc, "t[((d * 7u + s) * 5u + y) * 3u + x]"},
           {Buffer, "bhwdc", shape, "t[(((d * 7u + s) * 5u + y) * 3u + x) * 11u + b]"},
           {Buffer, "hw", hw, "t[y * 3u + x]"},
           {Buffer, "linear", {.c = 26}, "t[s]"},
           {ImageBuffer, "bhwc", bhwc, "read_imagef(t, ((s * 5u + y) * 3u + x) * 11u + b)"},
           {Texture2D, "hwc", hwc, "read_imagef(t, (int2)(x, y * 7u + s))"},
           {Texture2D, "bhwc", bhwc, "read_imagef(t, (int2)(x * 11u + b, y * 7u + s))"},
           {Texture2D, "hwdc", hwdc, "read_imagef(t, (int2)(x * 2u + d, y * 7u + s))"},
           {Texture2D, "bhwdc", shape, "read_imagef(t, (int2)((x * 11u + b) * 2u + d, y * 7u + s))"},
           {Texture2D, "bhwdc_single", bhwd, "read_imagef(t, (int2)((x * 11u + b) * 2u + d, y))"},
           {Texture2D, "linear", {.c = 26}, "read_imagef(t, (int2)(s, 0))"},
           {Texture2D, "phwc4", hwc, "read_imagef(t, (int2)(s * 3u + x, y))"},
           {Texture2D, "dhwbcc4", bhwc, "read_imagef(t, (int2)(s, (y * 3u + x) * 11u + b))"},
           {Texture3D, "hwc", hwc, "read_imagef(t, (int4)(x, y, s, 0))"},
           {Texture3D, "bhwdc", shape, "read_imagef(t, (int4)(x * 11u + b, y, d * 7u + s, 0))"},
           {Texture2DArray, "bhwdc", shape, "read_imagef(t, (int4)(x * 11u + b, y, d * 7u + s, 0))"},
           {Buffer, "dhwbcc4", bhwc, "t[((y * 3u + x) * 11u + b) * 7u + s]"},
           {Buffer, "token_minor", hwc, "t[(y * 7u + s) * 3u + x]"},
           {Buffer, "token_major", hwc, "t[(y * 3u + x) * 7u + s]"},
           {Buffer, "bhwdc", {}, "t[0]"},
       }) {
    EXPECT_EQ(loaded(in(c.kind, c.layout, c.shape)), c.text);
  }
}

TEST(Virtualize, StoresUseTheSameAddresses) {
  Probe probe;
  Resource& t = probe.tensor("t", Access::Write, in(Texture2D, "bhwc", without(shape, "d")));
  Resource& u = probe.tensor("u", Access::Write, in(Buffer, "bhwc", without(shape, "d")));
  const auto value = [] { return build::expression(vector_type(Scalar::F32, 4), Construct{}); };
  probe.store(t, probe.position(), value());
  probe.store(u, probe.position(), value());
  const std::string text = probe.emit();
  EXPECT_THAT(text, HasSubstr("write_imagef(t, (int2)(x * 11u + b, y * 7u + s), "));
  EXPECT_THAT(text, HasSubstr("u[((s * 5u + y) * 3u + x) * 11u + b] = "));
}

TEST(Virtualize, FewerCoordinatesMeanZeros) {
  struct Case {
    std::vector<const char*> arguments;
    const char* text;
  };
  for (const Case& c : {Case{{"s"}, "t[s * 15u]"},
                        {{"x", "s"}, "t[s * 15u + x]"},
                        {{"y", "x", "s"}, "t[(s * 5u + y) * 3u + x]"},
                        {{"b", "y", "x", "s"}, "t[(s * 5u + y) * 3u + x]"}}) {
    Probe probe;
    Resource& t = probe.tensor("t", Access::Read, in(Buffer, "hwc", without(shape, "bd")));
    std::vector<ExpressionPtr> at;
    for (const char* name : c.arguments) at.push_back(probe[name]);
    probe.output_value(Probe::load(t, std::move(at)));
    EXPECT_EQ(probe.emitted("o[0] = ", ";\n"), c.text);
  }
}

TEST(Virtualize, ConstantsFold) {
  using namespace build;
  struct Case {
    std::vector<ExpressionPtr> (*at)(Probe&);
    const char* text;
  };
  for (const Case& c : std::initializer_list<Case>{
           {[](Probe& p) { return list(literal_u32(1), literal_u32(2), p["s"]); }, "t[s * 15u + 5u]"},
           {[](Probe&) { return list(literal_u32(1), literal_u32(2), literal_u32(3)); }, "t[50]"},
           {[](Probe& p) { return list(p["y"], p["x"], literal_i32(2)); }, "t[(y + 10u) * 3u + x]"},
           {[](Probe& p) { return list(p["y"], binary(BinaryOp::Add, p["x"], literal_u32(1)), literal_i32(0)); },
            "t[y * 3u + (x + 1u)]"},
       }) {
    Probe probe;
    Resource& t = probe.tensor("t", Access::Read, in(Buffer, "hwc", without(shape, "bd")));
    probe.output_value(Probe::load(t, c.at(probe)));
    EXPECT_EQ(probe.emitted("o[0] = ", ";\n"), c.text);
  }
}

TEST(Virtualize, ArithmeticKeepsTheTypeOfTheArguments) {
  Probe probe(Scalar::I32);
  Resource& t = probe.tensor("t", Access::Read, in(Buffer, "hwc", without(shape, "bd")));
  probe.output_value(Probe::load(t, build::list(probe["y"], probe["x"], build::literal_u32(2))));
  EXPECT_EQ(probe.emitted("o[0] = ", ";\n"), "t[(y + 10) * 3 + x]");

  Probe mixed(Scalar::I32);
  Resource& m = mixed.tensor("t", Access::Read, in(Buffer, "hwc", without(shape, "bd")));
  auto unsigned_x = build::convert(scalar_type(Scalar::U32), mixed["x"]);
  auto channel = build::variable("channel", scalar_type(Scalar::U32), true);
  auto slice = build::read(*channel);
  mixed.body().push_back(build::declare(std::move(channel), nullptr));
  mixed.output_value(Probe::load(m, build::list(mixed["y"], std::move(unsigned_x), std::move(slice))));
  EXPECT_EQ(mixed.emitted("o[0] = ", ";\n"), "t[((int)channel * 5 + y) * 3 + x]");
}

TEST(Virtualize, VectorsGiveTheirComponents) {
  Probe probe;
  Resource& t = probe.tensor("t", Access::Read, in(Buffer, "hwc", without(shape, "bd")));
  auto at = build::variable("at", vector_type(Scalar::U32, 3), true);
  const auto read_at = [&, v = at.get()] { return build::read(*v); };
  probe.body().push_back(build::declare(std::move(at), nullptr));
  auto step = build::literal(vector_type(Scalar::U32, 3),
                             {ConstantScalar::of_int(Scalar::U32, 0), ConstantScalar::of_int(Scalar::U32, 2),
                              ConstantScalar::of_int(Scalar::U32, 7)});
  probe.output_value(Probe::load(t, build::list(read_at(), probe["s"])));  // (b, y, x), s
  probe.output_value(Probe::load(t, build::list(build::binary(BinaryOp::Add, read_at(), std::move(step)), probe["s"])));
  probe.output_value(Probe::load(
      t, build::list(build::expression(vector_type(Scalar::U32, 2), Construct{build::list(probe["y"], probe["x"])}),
                     probe["s"])));
  const std::string text = probe.emit();
  EXPECT_THAT(text, HasSubstr("o[0] = t[(s * 5u + at.y) * 3u + at.z];"));
  EXPECT_THAT(text, HasSubstr("o[0] = t[(s * 5u + (at.y + 2u)) * 3u + (at.z + 7u)];"));
  EXPECT_THAT(text, HasSubstr("o[0] = t[(s * 5u + y) * 3u + x];"));
}

TEST(Virtualize, ObjectsOfAKnownSliceAreChosenWhenCompiled) {
  const auto times = [](ExpressionPtr a, std::uint32_t b) {
    return build::binary(BinaryOp::Multiply, std::move(a), build::literal_u32(b));
  };
  Probe probe;
  Resource& t = probe.tensor("t", Access::Read, in(Buffer, "hwc", without(shape, "bd"), 4));
  probe.output_value(Probe::load(t, build::list(probe["y"], probe["x"], build::literal_u32(6))));
  probe.output_value(Probe::load(
      t,
      build::list(probe["y"], probe["x"], build::binary(BinaryOp::Add, times(probe["s"], 4), build::literal_u32(3)))));
  const std::string text = probe.emit();
  EXPECT_THAT(text, HasSubstr("o[0] = t_2[(y + 5u) * 3u + x];"));
  EXPECT_THAT(text, HasSubstr("o[0] = t_3[(s * 5u + y) * 3u + x];"));
  std::vector<std::string> names;
  for (const auto& resource : probe.module.resources) {
    EXPECT_EQ(resource->binding, names.size());
    names.push_back(resource->name);
  }
  EXPECT_THAT(names, ElementsAre("o", "t_0", "t_1", "t_2", "t_3"));
  EXPECT_EQ(probe.module.resources[1]->extent, (std::array<std::uint32_t, 3>{30, 1, 1}));
}

TEST(Virtualize, ObjectsOfAnUnknownSliceAreChosenInAFunction) {
  Probe probe;
  Resource& t = probe.tensor("t", Access::ReadWrite, in(Buffer, "hwc", without(shape, "bd"), 3));
  for (int i = 0; i < 2; ++i) {
    probe.output_value(Probe::load(t, build::list(probe["y"], probe["x"], probe["s"])));
    probe.store(t, build::list(probe["y"], probe["x"], probe["s"]),
                build::expression(vector_type(Scalar::F32, 4), Construct{}));
  }
  virtualize(probe.module);
  ASSERT_EQ(probe.module.functions.size(), 3u);
  EXPECT_EQ(probe.module.functions[0]->name.substr(0, 6), "t_stor");
  EXPECT_EQ(probe.module.functions[1]->name, "t_load");
  EXPECT_EQ(probe.module.functions.back().get(), probe.module.entry_point);
  const std::string text = emit_opencl(probe.module);
  EXPECT_THAT(text, HasSubstr("if (slice_1 % 3u == 0u) {\n    return t_0[(slice_1 / 3u * 5u + at_2) * 3u + at_3];\n"));
  EXPECT_THAT(text, HasSubstr("return t_2["));
  EXPECT_THAT(text, HasSubstr("o[0] = t_load("));
}

TEST(Virtualize, ArgumentsWithEffectsAreEvaluatedOnce) {
  Probe probe;
  auto next = std::make_unique<Function>();
  next->name = "next";
  next->result = scalar_type(Scalar::U32);
  next->body.push_back(build::statement(Return{build::literal_u32(1)}));
  Function& callee = *next;
  probe.module.functions.insert(probe.module.functions.begin(), std::move(next));
  Resource& t = probe.tensor("t", Access::Read, in(Buffer, "linear", {.c = 26}));
  probe.output_value(Probe::load(t, build::list(build::call(callee, {}), probe["s"])));  // x is not used
  EXPECT_THAT(probe.emitted("o[0] = ", ";\n"), testing::StartsWith("t_load(next(), s"));
}

TEST(Virtualize, DimensionsAreLiterals) {
  Probe probe;
  Resource& t = probe.tensor("t", Access::Read, in(Buffer, "bhwdc"));
  Resource& w = probe.weights("w", {DataType::Q8_0, 10, 96, 4});
  std::vector<std::uint32_t> values;
  std::vector<std::uint32_t> expected = {7, 26, 3, 5, 2, 11, 10, 96, 2};
  for (const Builtin builtin : {Builtin::TensorSlices, Builtin::TensorChannels, Builtin::TensorWidth,
                                Builtin::TensorHeight, Builtin::TensorDepth, Builtin::TensorBatch, Builtin::WeightsRows,
                                Builtin::WeightsColumns, Builtin::WeightsBlocks}) {
    Resource& of = builtin >= Builtin::WeightsRows ? w : t;
    auto call = build::call(builtin, scalar_type(Scalar::U32), build::list(Probe::name(of)));
    probe.body().push_back(build::declare(build::variable("v", scalar_type(Scalar::U32), false), std::move(call)));
  }
  virtualize(probe.module);
  for (const StatementPtr& each : probe.body()) {
    const auto* declare = std::get_if<Declare>(&each->node);
    if (declare != nullptr && declare->initializer) {
      values.push_back(static_cast<std::uint32_t>(integer_value(*declare->initializer).value()));
    }
  }
  EXPECT_EQ(values, expected);
}

std::string word(const WeightsDescriptor& descriptor, ExpressionPtr (*k)(Probe&), int width = 1) {
  Probe probe;
  Resource& w = probe.weights("w", descriptor);
  const TypePtr type = width == 1 ? scalar_type(Scalar::U32) : vector_type(Scalar::U32, width);
  auto value = build::variable("value", type, false);
  probe.body().push_back(build::declare(
      std::move(value),
      build::call(Builtin::WeightsWord, type, build::list(Probe::name(w), probe["y"], probe["x"], k(probe)))));
  const std::string text = probe.emit();
  EXPECT_EQ(probe.module.resources[1]->kind, Resource::Kind::Storage);
  EXPECT_EQ(to_string(probe.module.resources[1]->type), "array<" + to_string(type) + ">");
  const std::size_t begin = text.find("value = ") + 8;
  return text.substr(begin, text.find(";\n", begin) - begin);
}

// y is the row and x the unit.
TEST(Virtualize, WordsOfPackedWeights) {
  const auto variable = [](Probe& p) { return p["s"]; };
  const auto three = [](Probe&) { return build::literal_u32(3); };
  EXPECT_EQ(word({DataType::Q4_1, 100, 96, 1}, variable), "w[(y * 3u + x) * 5u + s]");
  EXPECT_EQ(word({DataType::Q4_1, 100, 96, 1}, three), "w[(y * 3u + x) * 5u + 3u]");
  EXPECT_EQ(word({DataType::Q4_1, 100, 96, 16}, variable), "w[(y / 16u * 3u + x) * 80u + s * 16u + y % 16u]");
  EXPECT_EQ(word({DataType::Q4_1, 100, 96, 16}, three), "w[(y / 16u * 3u + x) * 80u + 48u + y % 16u]");
  EXPECT_EQ(word({DataType::Q4_1, 100, 32, 16}, variable), "w[y / 16u * 80u + s * 16u + y % 16u]");
  EXPECT_EQ(word({DataType::Q4_1, 16, 96, 16}, variable), "w[x * 80u + s * 16u + y]");
  // Four rows at once; y counts fours.
  EXPECT_EQ(word({DataType::Q4_1, 100, 96, 4}, variable, 4), "w[(y * 3u + x) * 5u + s]");
  EXPECT_EQ(word({DataType::Q4_1, 100, 96, 16}, three, 4), "w[(y / 4u * 3u + x) * 20u + 12u + y % 4u]");
}

// Where rows have a scale, a group's units are followed by a word for each of its rows; y is the row.
std::string row_scale(const WeightsDescriptor& descriptor, int width = 1) {
  Probe probe;
  Resource& w = probe.weights("w", descriptor);
  const TypePtr type = width == 1 ? scalar_type(Scalar::F32) : vector_type(Scalar::F32, width);
  probe.body().push_back(
      build::declare(build::variable("value", type, false),
                     build::call(Builtin::WeightsRowScale, type, build::list(Probe::name(w), probe["y"]))));
  const std::string text = probe.emit();
  EXPECT_EQ(to_string(probe.module.resources[1]->type), width == 1 ? "array<u32>" : "array<vec4<u32>>");
  const std::size_t begin = text.find("value = ") + 8;
  return text.substr(begin, text.find(";\n", begin) - begin);
}

TEST(Virtualize, ScalesOfRows) {
  const auto variable = [](Probe& p) { return p["s"]; };
  EXPECT_EQ(word({DataType::I4C, 100, 96, 1}, variable), "w[y * 13u + x * 4u + s]");
  EXPECT_EQ(word({DataType::I4C, 100, 96, 16}, variable), "w[y / 16u * 208u + x * 64u + s * 16u + y % 16u]");
  EXPECT_EQ(word({DataType::I8C, 16, 96, 16}, variable), "w[x * 128u + s * 16u + y]");
  EXPECT_EQ(word({DataType::I8C, 100, 96, 16}, variable, 4), "w[y / 4u * 100u + x * 32u + s * 4u + y % 4u]");
  EXPECT_EQ(row_scale({DataType::I4C, 100, 96, 1}), "as_float(w[y * 13u + 12u])");
  EXPECT_EQ(row_scale({DataType::I4C, 100, 96, 16}), "as_float(w[y / 16u * 208u + 192u + y % 16u])");
  EXPECT_EQ(row_scale({DataType::I4C, 16, 96, 16}), "as_float(w[y + 192u])");
  EXPECT_EQ(row_scale({DataType::I8C, 100, 32, 16}), "as_float(w[y / 16u * 144u + 128u + y % 16u])");
  EXPECT_EQ(row_scale({DataType::I8C, 100, 96, 16}, 4), "as_float4(w[y / 4u * 100u + 96u + y % 4u])");
}

TEST(Virtualize, DescriptorsAreChecked) {
  Probe probe;
  probe.tensor("t", Access::Read, in(Buffer, "hwc"));  // B = 11 is not in the layout
  EXPECT_THROW(virtualize(probe.module), InvalidInput);
  Probe without_descriptor;
  without_descriptor.tensor("t", Access::Read, {}).tensor.reset();
  EXPECT_THROW(virtualize(without_descriptor.module), InternalError);
  EXPECT_THROW(word(
                   {DataType::Q4_1, 100, 96, 6}, [](Probe& p) { return p["s"]; }, 4),
               InvalidInput);
  Probe odd;
  odd.weights("w", {DataType::Q4_0, 10, 33, 1});
  EXPECT_THROW(virtualize(odd.module), InvalidInput);
}

}  // namespace
}  // namespace driftwood::shader
