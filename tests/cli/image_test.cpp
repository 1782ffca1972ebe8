// `driftwood image` and what the other commands do with a model for images.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace driftwood {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::filesystem::path shapes = std::filesystem::path(DRIFTWOOD_SOURCE_DIR) / "models/shapes-sd";

class ImageCommand : public CommandLine {
 protected:
  std::string out(const std::string& name) { return (folder_.path() / name).string(); }

  /// The small model with a file replaced or, where `bytes` is null, removed.
  std::string changed(const std::string& file, const std::string* bytes) {
    const std::filesystem::path copy = folder_.path() / "model";
    std::filesystem::remove_all(copy);
    std::filesystem::copy(shapes, copy, std::filesystem::copy_options::recursive);
    std::filesystem::permissions(copy / file, std::filesystem::perms::owner_all);
    std::filesystem::remove(copy / file);
    if (bytes != nullptr) folder_.write("model/" + file, *bytes);
    return quoted(copy.string());
  }

  Result image(const std::string& model, const std::string& arguments) {
    return run("image " + model + " -p 'a red circle on blue' -o " + quoted(out("a.png")) + " " + arguments);
  }
};

const std::string small = quoted(shapes.string());

TEST_F(ImageCommand, WritesAPictureAndSaysWhere) {
  const Result result = image(small, "--size 64x64 --steps 2 --guidance 3 --seed 7 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document["file"], out("a.png"));
  EXPECT_EQ(document["seed"], 7);
  EXPECT_EQ(document["steps"], 2);
  EXPECT_EQ(document["timings"]["step_ms"].size(), 3u);  // PNDM calls the model once more than there are steps
  for (const char* field : {"text_ms", "step_ms", "decode_ms", "total_ms"})
    EXPECT_TRUE(document["timings"].contains(field)) << field;
  const std::string png = contents(out("a.png"));
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_THAT(png,
              HasSubstr("a red circle on blue\nSteps: 2, Sampler: pndm, CFG scale: 3, Seed: 7, Size: 64x64, Model: "
                        "shapes-sd"));
  // The same seed, the same picture; progress is for terminals.
  ASSERT_EQ(image(small, "--size 64x64 --steps 2 --guidance 3 --seed 7").status, 0);
  EXPECT_EQ(contents(out("a.png")), png);
  EXPECT_THAT(result.err, Not(HasSubstr("sampling")));
}

TEST_F(ImageCommand, PicturesOfOneCommandHaveSeedsThatFollowOneAnother) {
  const std::string common = "--size 64x64 --steps 1 --guidance 1 --scheduler euler ";
  const Result both = image(small, common + "--count 2 --seed 7 --low-memory --vae-tiling");
  ASSERT_EQ(both.status, 0) << both.err;
  EXPECT_EQ(both.out, out("a-1.png") + "\n" + out("a-2.png") + "\n");
  ASSERT_EQ(image(small, common + "--seed 8").status, 0);
  EXPECT_EQ(contents(out("a.png")), contents(out("a-2.png")));
}

TEST_F(ImageCommand, LatentsCanBeSavedAndGiven) {
  const std::string common = "--steps 2 --guidance 1 --scheduler ddim ";
  const std::string latents = quoted(out("l.safetensors"));
  ASSERT_EQ(image(small, common + "--size 64x48 --save-latents " + latents).status, 0);
  EXPECT_THAT(run("inspect " + latents).out, HasSubstr("latents"));
  const Result given = image(small, common + "--json --latents " + latents);
  ASSERT_EQ(given.status, 0) << given.err;
  EXPECT_EQ(nlohmann::json::parse(given.out)["width"], 64);
  EXPECT_EQ(nlohmann::json::parse(given.out)["height"], 48);
  EXPECT_THAT(image(small, common + "--size 64x64 --latents " + latents).err, HasSubstr("8x6"));
}

TEST_F(ImageCommand, APictureCanBeTheStart) {
  ASSERT_EQ(image(small, "--size 64x64 --steps 2 --guidance 1 --seed 1").status, 0);
  std::filesystem::rename(out("a.png"), out("start.png"));
  const Result result =
      image(small, "--steps 4 --guidance 1 --scheduler ddim --seed 1 --strength 0.5 --json --init-image " +
                       quoted(out("start.png")));
  ASSERT_EQ(result.status, 0) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document["timings"]["step_ms"].size(), 2u);
  EXPECT_EQ(document["width"], 64);
  const Result nothing = image(small, "--steps 10 --strength 0.05 --init-image " + quoted(out("start.png")));
  EXPECT_EQ(nothing.status, 1);
  EXPECT_THAT(nothing.err, HasSubstr("A strength of 0.05 leaves none of the 10 steps; at least 20 are needed"));
}

TEST_F(ImageCommand, ALongPromptIsCutWithAWarning) {
  std::string words;
  for (int i = 0; i < 100; ++i) words += "circle ";
  const Result result = run("image " + small + " -p '" + words +
                            "yellow star' --size 64x64 --steps 1 --guidance 1 -o " + quoted(out("a.png")));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("warning: the prompt has 102 tokens, 27 more than fit; dropped: \"circle"));
  EXPECT_THAT(result.err, HasSubstr("yellow star"));
}

TEST_F(ImageCommand, WhatIsShownOfAPromptCannotSteerATerminal) {
  std::string words;
  for (int i = 0; i < 30; ++i)
    words +=
        "\x1B[31mred\x07 \xC2\x9B"
        "31m \xFF ";  // also the 8-bit form, and no UTF-8
  const Result result = run("image " + small + " -p " + driftwood::quoted(words) + " --device nonsense:3 -o " +
                            driftwood::quoted(out("a.png")));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("dropped: "));
  for (const std::string control : {"\x1B", "\x07", "\xC2\x9B", "\xFF"})
    EXPECT_THAT(result.err, Not(HasSubstr(control)));
}

TEST_F(ImageCommand, AFileThatMayNotBeWrittenIsKept) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write to every file";
  folder_.write("a.png", "kept");
  std::filesystem::permissions(out("a.png"), std::filesystem::perms::owner_read);
  const Result result = image(small, "--size 8x8 --steps 1");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot be written"));
  EXPECT_EQ(contents(out("a.png")), "kept");
}

TEST_F(ImageCommand, WhatCannotBeIsRefusedBeforeAnyWork) {
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"--size 7x7", "multiple of 8"},
           {"--size 100000x100000", "over the limit"},
           {"--size 0x64", "multiple of 8"},
           {"--guidance nan", "guidance is nan"},
           {"--guidance inf", "guidance is inf"},
           {"--strength 0 --init-image x.png", "strength"},
           {"--latents " + quoted((shapes / "README.md").string()), "no safetensors file"},
           {"--save-latents " + quoted(out(std::string(300, 'a'))), "name too long"},
           {"--init-image /does/not/exist.png", "does/not/exist"},
           {"--latents /does/not/exist.safetensors", "does/not/exist"},
           {"--steps 1000 --scheduler lcm", "steps"},
           {"--device nonsense:3", "nonsense"}}) {
    const Result result = image(small, arguments);
    EXPECT_EQ(result.status, 1) << arguments;
    EXPECT_THAT(result.err, HasSubstr("driftwood: error: ")) << arguments;
    EXPECT_THAT(result.err, HasSubstr(words)) << arguments;
  }
  const Result nowhere = run("image " + small + " -p a -o /does/not/exist/a.png");
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("/does/not/exist"));
}

TEST_F(ImageCommand, AWrongCommandLineIsStatus2) {
  for (const std::string& arguments : std::vector<std::string>{
           "--steps 0", "--steps -1", "--count 0", "--scheduler nonsense", "--size 64", "--size axb", "--size 64x",
           "--seed -1", "--count 2 --latents x", "--save-latents " + quoted(out("./a.png"))}) {
    const Result result = image(small, arguments);
    EXPECT_EQ(result.status, 2) << arguments << "\n" << result.err;
    EXPECT_THAT(result.err, StartsWith("driftwood: error: ")) << arguments;
  }
}

TEST_F(ImageCommand, BrokenFoldersAreSentences) {
  const std::string unet = contents(shapes / "unet/diffusion_pytorch_model.safetensors");
  const std::string truncated = unet.substr(0, unet.size() / 2), empty;
  std::string absurd = contents(shapes / "unet/config.json");
  absurd.replace(absurd.find("48"), 2, "4800000000");
  for (const auto& [file, bytes] :
       std::vector<std::pair<std::string, const std::string*>>{{"model_index.json", nullptr},
                                                               {"model_index.json", &empty},
                                                               {"unet/config.json", nullptr},
                                                               {"unet/config.json", &absurd},
                                                               {"vae/config.json", &truncated},
                                                               {"unet/diffusion_pytorch_model.safetensors", nullptr},
                                                               {"unet/diffusion_pytorch_model.safetensors", &truncated},
                                                               {"text_encoder/model.safetensors", &empty},
                                                               {"tokenizer/vocab.json", nullptr},
                                                               {"scheduler/scheduler_config.json", &empty}}) {
    const Result result = image(changed(file, bytes), "--size 64x64 --steps 1");
    EXPECT_EQ(result.status, 1) << file << "\n" << result.err;
    EXPECT_THAT(result.err, HasSubstr("driftwood: error: ")) << file;
    EXPECT_FALSE(std::filesystem::exists(out("a.png"))) << file;
  }
}

TEST_F(ImageCommand, NumbersThatAreNotFiniteNameStepAndOperation) {
  // A NaN in the bias of the UNet's first convolution.
  std::string unet = contents(shapes / "unet/diffusion_pytorch_model.safetensors");
  std::uint64_t header = 0;
  std::memcpy(&header, unet.data(), 8);
  const auto index = nlohmann::json::parse(unet.substr(8, header));
  const std::size_t at = 8 + header + index["conv_in.bias"]["data_offsets"][0].get<std::size_t>();
  ASSERT_EQ(index["conv_in.bias"]["dtype"], "F16");
  unet[at] = 0;
  unet[at + 1] = 0x7E;
  const Result result = image(changed("unet/diffusion_pytorch_model.safetensors", &unet), "--size 64x64 --steps 2");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("At step 1 of 3 the prediction of the unet is not finite: '"));
  EXPECT_THAT(result.err, HasSubstr("gives a NaN"));
  EXPECT_FALSE(std::filesystem::exists(out("a.png")));
}

TEST_F(ImageCommand, InspectListsTensorsByComponent) {
  const Result text = run("inspect " + small);
  ASSERT_EQ(text.status, 0) << text.err;
  for (const char* part : {"text_encoder\n", "unet\n", "vae\n", "conv_in.weight", "decoder.conv_out.bias", "in all"})
    EXPECT_THAT(text.out, HasSubstr(part));
  const auto document = nlohmann::json::parse(run("inspect " + small + " --json").out);
  EXPECT_EQ(document["format"], "diffusers");
  std::uint64_t bytes = 0;
  for (const char* component : {"text_encoder", "unet", "vae"})
    for (const auto& tensor : document["components"][component]["tensors"])
      bytes += tensor["bytes"].get<std::uint64_t>();
  EXPECT_EQ(document["bytes"], bytes);
}

TEST_F(ImageCommand, ModelsOfTheOtherKindAreNamedAsSuch) {
  EXPECT_THAT(run("run " + small + " -p a").err, HasSubstr("is a diffusers folder: a model for images"));
  const std::string language = quoted(std::string(DRIFTWOOD_TEST_DATA) + "/llm/llama-gqa-tied");
  EXPECT_THAT(image(language, "").err, HasSubstr("is a language model's file or folder"));
}

TEST_F(ImageCommand, GraphsOfComponentsCanBeRead) {
  const Result unet = run("graph " + small + " --device reference");
  EXPECT_EQ(unet.status, 0) << unet.err;
  EXPECT_THAT(unet.out, HasSubstr("multi-head-attention"));
  EXPECT_THAT(unet.out, Not(HasSubstr("concat(")));
  EXPECT_THAT(run("graph " + small + " --before --device reference").out, HasSubstr("concat("));
  EXPECT_THAT(run("graph " + small + " --component 'vae decoder' --device reference").out, HasSubstr("upsample 2"));
  EXPECT_THAT(run("graph " + small + " --component tail --device reference").err, HasSubstr("no component 'tail'"));
}

TEST_F(ImageCommand, BenchAndMemoryTakeFolders) {
  const Result bench = run("bench " + small + " --size 64x64 --steps 1 -r 1 -o json");
  ASSERT_EQ(bench.status, 0) << bench.err;
  const auto rows = nlohmann::json::parse(bench.out);
  ASSERT_EQ(rows.size(), 4u);
  for (const char* field : {"model_filename", "model_size", "model_n_params", "backends", "gpu_info", "test", "avg_ts",
                            "stddev_ts", "samples_ts", "weights_bytes", "planned_bytes", "naive_bytes", "options"})
    EXPECT_TRUE(rows[0].contains(field)) << field;
  const Result memory = run("memory " + small + " --json --device reference");
  ASSERT_EQ(memory.status, 0) << memory.err;
  const auto plan = nlohmann::json::parse(memory.out);
  for (const char* part : {"text encoder", "unet", "vae decoder"}) {
    const auto& activations = plan["components"][part]["activations"];
    EXPECT_LE(activations["planned"].get<double>(), 1.12 * activations["lower_bound"].get<double>()) << part;
    EXPECT_GT(activations["naive"].get<double>(), activations["planned"].get<double>()) << part;
  }
}

}  // namespace
}  // namespace driftwood
