// Work on large ranges shared out over threads of the host.
#pragma once

#include <cstddef>
#include <functional>

namespace driftwood {

/// The host's threads that run at the same time, at least 1 and at most `most`.
unsigned host_threads(unsigned most);

/// Calls work(first, end) for parts that together are 0 .. count, each at most once, on up to `threads` threads, of
/// which the caller is one; no part is empty. Where the system gives no more threads, fewer do all of it. Returns when
/// all is done; throws what the first part that failed threw.
void share_out(std::size_t count, unsigned threads,
               const std::function<void(std::size_t first, std::size_t end)>& work);

}  // namespace driftwood
