// How alike two texts are: 2 M / T, where T is how many characters they have together and M how
// many of them are in the stretches they share (Ratcliff and Obershelp). It gives the numbers of
// Python's difflib, whose thresholds agents' edits were tuned to, with its rule for long texts: of
// one with 200 characters or more, a character that makes up over 1 % of it does not start a
// stretch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::edit {

// WorkBudget: how many steps of comparing are left. Similarity takes cubic time at worst. What was
// not compared when the budget is used up is not similar.
class WorkBudget {
 public:
  explicit WorkBudget(std::size_t steps) : left_(steps) {}

  // False, from then on always, when there is not so much left.
  bool spend(std::size_t steps) {
    if (steps > left_) exhausted_ = true;
    if (!exhausted_) left_ -= steps;
    return !exhausted_;
  }
  bool exhausted() const { return exhausted_; }

 private:
  std::size_t left_;
  bool exhausted_ = false;
};

std::u32string to_chars(std::string_view text);

// Similarity: one text, made ready to be compared with many. difflib's is not symmetric: this is
// its second operand.
class Similarity {
 public:
  explicit Similarity(std::u32string_view text);

  // 0 where it is certain to be below `least`, and when the budget is used up.
  double ratio(std::u32string_view other, double least, WorkBudget& budget);

 private:
  struct Stretch {
    std::size_t other;
    std::size_t own;
    std::size_t size;
  };
  struct Window {
    std::size_t other_begin, other_end, own_begin, own_end;
  };

  std::uint32_t id_of(char32_t c) const;
  std::size_t shared_characters() const;
  Stretch longest(const Window& window, WorkBudget& budget);
  void extend(Stretch& stretch, const Window& window) const;

  std::u32string alphabet_;                // of the own text, sorted
  std::vector<std::uint32_t> own_;         // its characters, as indices into the alphabet
  std::vector<std::uint32_t> other_;       // the same of what it is compared with
  std::vector<std::uint32_t> starts_;      // where the positions of a character begin, and end
  std::vector<std::uint32_t> positions_;   // of each character in the own text
  std::vector<bool> popular_;              // by character: too common to start a stretch
  std::vector<std::uint32_t> row_, next_;  // how long the stretch that ends at a position is
};

}  // namespace talaria::edit
