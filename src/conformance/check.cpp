#include "conformance/check.h"

#include <algorithm>

#include "base/error.h"
#include "graph/lowering.h"

namespace driftwood::conformance {

std::string_view to_string(Judgement judgement) {
  switch (judgement) {
    case Judgement::Right: return "right";
    case Judgement::Wrong: return "wrong";
    case Judgement::Unsupported: return "unsupported";
  }
  return "";
}

Choice choice_of(const Case& c, const gpu::DeviceFacts& facts) {
  Choice choice;
  const Problem problem = sketch_of(c, facts);
  choice.refusal = problem.refusal;
  choice.has_memory = problem.refusal.empty();
  if (!choice.has_memory) return choice;
  try {
    for (const graph::LoweredStep& step : graph::lower(problem.graph, facts, options_of(c.setting)).steps) {
      if (std::ranges::find(choice.kernels, step.kernel) == choice.kernels.end())
        choice.kernels.emplace_back(step.kernel);
      if (step.use.cost) choice.work += step.use.cost->flops_per_token * problem.parameters.tokens;
      ++choice.dispatches;
    }
  } catch (const Unsupported& error) {
    choice.refusal = error.message();
  }
  return choice;
}

Verdict check(const Subject& subject, const Case& c, unsigned seed) {
  return check(subject, c, problem_of(c, subject.device.facts(), seed));
}

Verdict check(const Subject& subject, const Case& c, const Problem& problem) {
  if (!problem.refusal.empty()) return {.judgement = Judgement::Unsupported, .message = problem.refusal};
  try {
    Outcome outcome = run(subject, problem, c.setting);
    const Judgement judgement = outcome.fault.empty() ? Judgement::Right : Judgement::Wrong;
    std::string message = outcome.fault;
    return {.judgement = judgement, .message = std::move(message), .outcome = std::move(outcome)};
  } catch (const Unsupported& error) {
    return {.judgement = Judgement::Unsupported, .message = error.message()};
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error& error) {
    return {.judgement = Judgement::Wrong, .message = error.what()};
  }
}

}  // namespace driftwood::conformance
