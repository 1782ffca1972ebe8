#include "shader/linker.h"

#include <gtest/gtest.h>

#include "source_case.h"

namespace driftwood::test {
namespace {

using namespace shader;

TEST(Linker, LoadsFilesOnceInOrderOfFirstImport) {
  const SourceCase given = source_case("main",
                                       "import package::a::f;\nimport package::b::{g, f as h};\n"
                                       "//// package::a\nimport package::b::g;\nfn f() {}\n"
                                       "//// package::b\nfn g() {}\nfn f() {}\n");
  const SourceProvider sources = given.provider();
  const Program program(sources, "package::main", {});
  std::vector<std::string> paths;
  for (const LinkedFile& file : program.files()) paths.push_back(file.module_path);
  EXPECT_EQ(paths, (std::vector<std::string>{"package::main", "package::a", "package::b"}));
}

TEST(Linker, KeepsScopesApart) {
  const SourceCase given = source_case("main",
                                       "import package::a::f as g;\nfn f() {}\n"
                                       "//// package::a\nfn f() {}\n");
  const SourceProvider sources = given.provider();
  const Program program(sources, "package::main", {});
  EXPECT_EQ(program.find(program.root(), "f").home->module_path, "package::main");
  EXPECT_EQ(program.find(program.root(), "g").home->module_path, "package::a");
  EXPECT_EQ(program.find(program.root(), "h").declaration, nullptr);
}

TEST(Linker, DoesNotPassImportsOn) {
  const SourceCase given = source_case("main",
                                       "import package::a::g;\n"
                                       "//// package::a\nimport package::b::g;\n"
                                       "//// package::b\nfn g() {}\n");
  const SourceProvider sources = given.provider();
  EXPECT_THROW(Program(sources, "package::main", {}), CompileError);
}

TEST(Linker, FillsFusionPointsOfImportedFilesToo) {
  const SourceCase given =
      source_case("main",
                  "import package::a::epilogue;\nfn helper() {}\n"
                  "//// package::a\n@fusion fn epilogue(x: f32) -> f32 { return x; }\n"
                  "//// fusion epilogue\nfn helper() {}\nfn epilogue(x: f32) -> f32 { return x; }\n");
  const SourceProvider sources = given.provider();
  const Program program(sources, "package::main", given.specialization);
  const Symbol filled = program.find(program.root(), "epilogue");
  ASSERT_NE(filled.home, nullptr);
  EXPECT_EQ(filled.home->module_path, "fusion epilogue");
  EXPECT_EQ(program.find(*filled.home, "helper").home, filled.home);
}

TEST(Linker, LetsFusionsSeeTheKernelsNames) {
  const SourceCase given = source_case("main",
                                       "alias act = f32;\n@fusion fn epilogue(x: act) -> act { return x; }\n"
                                       "//// fusion epilogue\nfn epilogue(x: act) -> act { return x; }\n");
  const SourceProvider sources = given.provider();
  const Program program(sources, "package::main", given.specialization);
  const LinkedFile& fusion = *program.find(program.root(), "epilogue").home;
  EXPECT_EQ(program.find(fusion, "act").home, &program.root());
}

TEST(Linker, SaysThatTheKernelIsMissing) {
  const SourceProvider none = [](std::string_view) { return std::nullopt; };
  EXPECT_THROW(Program(none, "package::main", {}), InvalidInput);
}

}  // namespace
}  // namespace driftwood::test
