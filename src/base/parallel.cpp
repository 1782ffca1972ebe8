#include "base/parallel.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace driftwood {

unsigned host_threads(unsigned most) { return std::clamp(std::thread::hardware_concurrency(), 1u, std::max(most, 1u)); }

void share_out(std::size_t count, unsigned threads,
               const std::function<void(std::size_t first, std::size_t end)>& work) {
  const std::size_t parts = std::min<std::size_t>(std::max(threads, 1u), count);
  std::vector<std::exception_ptr> errors(parts);
  const auto run = [&](std::size_t part) {
    try {
      work(count * part / parts, count * (part + 1) / parts);
    } catch (...) {
      errors[part] = std::current_exception();
    }
  };
  std::vector<std::jthread> helpers;
  std::size_t begun = 0;  // parts that helpers do; the caller does the others
  if (parts > 1) {
    try {
      helpers.reserve(parts - 1);
      while (begun + 1 < parts) {
        helpers.emplace_back(run, begun);
        ++begun;
      }
    } catch (const std::system_error&) {
    }
  }
  for (std::size_t part = begun; part < parts; ++part) run(part);
  helpers.clear();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace driftwood
