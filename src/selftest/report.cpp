#include <algorithm>

#include "selftest/selftest.h"

namespace driftwood::selftest {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Right: return "right";
    case Verdict::Wrong: return "wrong";
    case Verdict::Failed: return "failed";
    case Verdict::Lost: return "lost";
  }
  return "failed";
}

std::size_t Report::cases() const {
  std::size_t sum = 0;
  for (const Finding& finding : findings) sum += finding.cases;
  return sum;
}

std::size_t Report::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(findings, verdict, &Finding::verdict));
}

bool Report::is_worked_around() const {
  return lost.empty() && std::ranges::all_of(findings, &Finding::is_worked_around);
}

}  // namespace driftwood::selftest
