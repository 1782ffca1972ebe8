// The merge loop that byte-level BPE and SentencePiece share: of all neighbours that may merge, those of the
// lowest rank do, the leftmost first, until none is left. A heap makes it O(n log n) in the symbols.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace driftwood {

/// A stretch of the text on its way to becoming a token.
struct Symbol {
  std::string_view text;  // empty once merged into the symbol before it
  std::int32_t id = -1;   // -1: no token of the vocabulary
  bool is_whole = false;  // merges with nothing
};

struct Merge {
  std::uint32_t rank;  // lower merges first
  std::int32_t id;     // of the result
};

class Merging {
 public:
  std::vector<Symbol>& symbols() { return symbols_; }

  /// Merges symbols(), whose texts are adjacent; those left over are in order, merged ones have no text.
  /// `find(left, right)` gives the merge of two neighbours as std::optional<Merge>;
  /// `merged(left, right, id)` is told of each before it happens.
  template <class Find, class Merged>
  void run(const Find& find, const Merged& merged);

 private:
  struct Candidate {
    std::uint32_t rank;
    std::int32_t id;
    std::uint32_t left, right;  // indices of symbols_
    std::size_t length;         // of both texts; another length now: one of them has merged since

    /// For a heap whose front is the best.
    bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : left > other.left; }
  };
  static constexpr std::uint32_t none = UINT32_MAX;

  template <class Find>
  std::optional<Candidate> candidate(const Find& find, std::uint32_t left, std::uint32_t right) const;

  std::vector<Symbol> symbols_;
  std::vector<std::uint32_t> previous_, next_;
  std::vector<Candidate> heap_;
};

template <class Find>
std::optional<Merging::Candidate> Merging::candidate(const Find& find, std::uint32_t left, std::uint32_t right) const {
  if (left == none || right == none) return std::nullopt;
  const Symbol& a = symbols_[left];
  const Symbol& b = symbols_[right];
  if (a.is_whole || b.is_whole) return std::nullopt;
  const std::optional<Merge> merge = find(a, b);
  if (!merge) return std::nullopt;
  return Candidate{merge->rank, merge->id, left, right, a.text.size() + b.text.size()};
}

template <class Find, class Merged>
void Merging::run(const Find& find, const Merged& merged) {
  const auto count = static_cast<std::uint32_t>(symbols_.size());
  previous_.resize(count);
  next_.resize(count);
  heap_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    previous_[i] = i == 0 ? none : i - 1;
    next_[i] = i + 1 == count ? none : i + 1;
    if (auto found = candidate(find, i, next_[i])) heap_.push_back(*found);
  }
  std::make_heap(heap_.begin(), heap_.end());
  const auto push = [&](std::uint32_t left, std::uint32_t right) {
    if (auto found = candidate(find, left, right)) {
      heap_.push_back(*found);
      std::push_heap(heap_.begin(), heap_.end());
    }
  };
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end());
    const Candidate best = heap_.back();
    heap_.pop_back();
    Symbol& left = symbols_[best.left];
    Symbol& right = symbols_[best.right];
    if (left.text.empty() || right.text.empty() || left.text.size() + right.text.size() != best.length) continue;
    merged(left, right, best.id);
    left.text = {left.text.data(), best.length};
    left.id = best.id;
    right.text = {};
    next_[best.left] = next_[best.right];
    if (next_[best.left] != none) previous_[next_[best.left]] = best.left;
    push(previous_[best.left], best.left);
    push(best.left, next_[best.left]);
  }
}

}  // namespace driftwood
