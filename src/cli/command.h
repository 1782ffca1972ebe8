// The commands of `driftwood`: each adds itself to the parser and says what to run.
//
// Results go to standard output, everything else to standard error. A command throws driftwood::Error; main() turns it
// into one to three lines and the exit status 1.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace driftwood::cli {

using Action = std::function<void()>;

void add_run(CLI::App& app, Action& action);
void add_image(CLI::App& app, Action& action);
void add_tokenize(CLI::App& app, Action& action);
void add_detokenize(CLI::App& app, Action& action);
void add_chat_template(CLI::App& app, Action& action);
void add_logits(CLI::App& app, Action& action);
void add_perplexity(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_memory(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_quantize(CLI::App& app, Action& action);
void add_devices(CLI::App& app, Action& action);
void add_kernel(CLI::App& app, Action& action);
void add_graph(CLI::App& app, Action& action);
void add_profile(CLI::App& app, Action& action);
void add_ablate(CLI::App& app, Action& action);
void add_tune(CLI::App& app, Action& action);
void add_selftest(CLI::App& app, Action& action);

}  // namespace driftwood::cli
