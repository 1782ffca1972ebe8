#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "base/error.h"
#include "cli/command.h"

namespace driftwood::cli {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

void report(const Error& error) {
  fmt::print(stderr, "driftwood: error: {}\n", error.message());
  // At most three lines: the two innermost contexts say the most.
  for (std::size_t i = 0; i < error.context().size() && i < 2; ++i) fmt::print(stderr, "{}\n", error.context()[i]);
}

int run(int argc, char** argv) {
  CLI::App app("Runs language models and text-to-image models on whatever GPU there is.", "driftwood");
  app.require_subcommand(1);
  app.fallthrough(false);
  app.set_version_flag("--version", "driftwood " DRIFTWOOD_VERSION);
  Action action;
  add_run(app, action);
  add_image(app, action);
  add_bench(app, action);
  add_tokenize(app, action);
  add_detokenize(app, action);
  add_chat_template(app, action);
  add_logits(app, action);
  add_perplexity(app, action);
  add_memory(app, action);
  add_profile(app, action);
  add_ablate(app, action);
  add_tune(app, action);
  add_inspect(app, action);
  add_quantize(app, action);
  add_devices(app, action);
  add_selftest(app, action);
  add_kernel(app, action);
  add_graph(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "driftwood: error: {}\nRun 'driftwood --help' or 'driftwood COMMAND --help' for usage.\n",
               error.what());
    return exit_usage;
  }
  try {
    action();
  } catch (const CLI::ParseError& error) {  // a combination of options that only the command can judge
    fmt::print(stderr, "driftwood: error: {}\n", error.what());
    return exit_usage;
  } catch (const Error& error) {
    report(error);
    return exit_failed;
  } catch (const std::bad_alloc&) {
    report(OutOfMemory("The memory of this machine does not suffice."));
    return exit_failed;
  } catch (const std::exception& error) {
    report(InternalError(fmt::format("Something failed that should not: {}.", error.what())));
    return exit_failed;
  }
  return std::fflush(stdout) == 0 ? 0 : exit_failed;
}

}  // namespace
}  // namespace driftwood::cli

int main(int argc, char** argv) {
#ifdef SIGPIPE
  std::signal(SIGPIPE, SIG_DFL);  // `driftwood run ... | head` ends quietly
#endif
  return driftwood::cli::run(argc, argv);
}
