// PTX with the instructions of one architecture: only text for the right target is edited.
#include "gpu/opencl/ptx_edit.h"

#include <gtest/gtest.h>

#include <string>

namespace driftwood::gpu::opencl {
namespace {

std::optional<std::string> edited(const std::string& text) {
  const auto bytes = edited_ptx(std::as_bytes(std::span(text)));
  if (!bytes) return std::nullopt;
  std::string result(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  EXPECT_EQ(result.back(), '\0');
  result.pop_back();
  return result;
}

TEST(PtxEdit, TakesInstructionsOutOfComments) {
  EXPECT_TRUE(needs_edited_ptx("asm(\"//@wgmma.fence.sync.aligned;\");"));
  EXPECT_FALSE(needs_edited_ptx("// @ plain"));
  EXPECT_EQ(edited(".version 8.4\n.target sm_90\n\t//@wgmma.fence;\n//@a; b;\n"),
            ".version 8.4\n.target sm_90a\n\twgmma.fence;\na; b;\n");
  EXPECT_EQ(edited(".target sm_90, texmode_independent\n" + std::string(2, '\0')),
            ".target sm_90a, texmode_independent\n");
  EXPECT_EQ(edited(".target sm_90\n.reqntid 384, 1, 1\n{\n//@setmaxnreg.dec.sync.aligned.u32 24;\n}"),
            ".target sm_90a\n.reqntid 384, 1, 1\n.minnctapersm 1\n{\nsetmaxnreg.dec.sync.aligned.u32 24;\n}");
}

TEST(PtxEdit, RefusesWhatIsNoTextForTheTarget) {
  EXPECT_FALSE(edited(""));
  EXPECT_FALSE(edited(".target sm_80\n//@a;"));
  EXPECT_FALSE(edited(".target sm_900\n"));
  EXPECT_FALSE(edited(".target sm_90a\n"));
  EXPECT_FALSE(
      edited(std::string("\x7f"
                         "ELF\0.target sm_90\n",
                         19)));
  EXPECT_FALSE(edited(".target sm_90 .reqntid 384 setmaxnreg"));
}

}  // namespace
}  // namespace driftwood::gpu::opencl
