#include "edit/line_diff.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace talaria::edit {
namespace {

using Line = std::uint32_t;
using Offset = std::ptrdiff_t;

// A rectangle of the comparison: some lines of the old text against some of the new one.
struct Box {
  Offset old_begin, old_end, new_begin, new_end;
};

struct Point {
  Offset old_line, new_line;
};

// Myers' algorithm in linear space ("An O(ND) Difference Algorithm and Its Variations", section
// 4b): paths grow from both corners of a box, and where they meet it is cut in two.
class SmallestDiff {
 public:
  SmallestDiff(const std::vector<Line>& before, const std::vector<Line>& after, std::size_t steps,
               LineDiff& result)
      : before_(before), after_(after), steps_(steps), result_(result) {}

  void run(const Box& whole) {
    std::vector<Box> waiting{whole};
    while (!waiting.empty()) {
      const Box box = without_common_ends(waiting.back());
      waiting.pop_back();
      if (box.old_begin == box.old_end || box.new_begin == box.new_end) {
        mark(box);
        continue;
      }
      const auto cut = middle(box);
      if (!cut) {
        mark(box);
        continue;
      }
      waiting.push_back({cut->old_line, box.old_end, cut->new_line, box.new_end});
      waiting.push_back({box.old_begin, cut->old_line, box.new_begin, cut->new_line});
    }
  }

 private:
  Box without_common_ends(Box box) const {
    while (box.old_begin < box.old_end && box.new_begin < box.new_end &&
           before_[box.old_begin] == after_[box.new_begin]) {
      ++box.old_begin;
      ++box.new_begin;
    }
    while (box.old_begin < box.old_end && box.new_begin < box.new_end &&
           before_[box.old_end - 1] == after_[box.new_end - 1]) {
      --box.old_end;
      --box.new_end;
    }
    return box;
  }

  void mark(const Box& box) {
    std::fill(result_.removed.begin() + box.old_begin, result_.removed.begin() + box.old_end, true);
    std::fill(result_.added.begin() + box.new_begin, result_.added.begin() + box.new_end, true);
  }

  // Where to cut a box that has lines on both sides and differs at its ends, or nothing if that
  // would cost too much. Diagonals are numbered by old line - new line; `reach` has how far the
  // best path on each one got, in old lines.
  std::optional<Point> middle(const Box& box) {
    const Offset olds = box.old_end - box.old_begin;
    const Offset news = box.new_end - box.new_begin;
    const Offset difference = olds - news;
    const bool odd = difference % 2 != 0;
    forward_.assign(static_cast<std::size_t>(olds + news + 3), -1);
    backward_.assign(static_cast<std::size_t>(olds + news + 3), -1);
    const auto slot = [news](Offset diagonal) {
      return static_cast<std::size_t>(diagonal + news + 1);
    };
    const auto overlap = [&](Offset diagonal, Offset depth) {
      return std::abs(diagonal - difference) <= depth &&
             backward_[slot(difference - diagonal)] >= 0 && forward_[slot(diagonal)] >= 0 &&
             forward_[slot(diagonal)] + backward_[slot(difference - diagonal)] >= olds;
    };

    for (Offset depth = 0; 2 * depth <= olds + news + 1; ++depth) {
      const auto first = depth <= news ? -depth : -news + (depth - news) % 2;
      const auto last = depth <= olds ? depth : olds - (depth - olds) % 2;
      for (Offset diagonal = first; diagonal <= last; diagonal += 2) {
        Offset line = start_of(forward_, slot(diagonal), diagonal, depth, olds);
        while (line < olds && line - diagonal < news &&
               before_[box.old_begin + line] == after_[box.new_begin + line - diagonal]) {
          ++line;
          if (!spend()) return std::nullopt;
        }
        forward_[slot(diagonal)] = line;
        if (odd && overlap(diagonal, depth - 1)) {
          return inside(box, {box.old_begin + line, box.new_begin + line - diagonal});
        }
      }
      for (Offset diagonal = first; diagonal <= last; diagonal += 2) {
        Offset line = start_of(backward_, slot(diagonal), diagonal, depth, olds);
        while (line < olds && line - diagonal < news &&
               before_[box.old_end - 1 - line] == after_[box.new_end - 1 - (line - diagonal)]) {
          ++line;
          if (!spend()) return std::nullopt;
        }
        backward_[slot(diagonal)] = line;
        if (!odd && overlap(difference - diagonal, depth)) {
          return inside(box, {box.old_end - line, box.new_end - (line - diagonal)});
        }
      }
      if (!spend(static_cast<std::size_t>(last - first) + 1)) return std::nullopt;
    }
    return std::nullopt;
  }

  // One step further than a neighbour got: down from the next diagonal, or right from the one
  // before.
  static Offset start_of(const std::vector<Offset>& reach, std::size_t slot, Offset diagonal,
                         Offset depth, Offset olds) {
    if (depth == 0) return 0;
    const Offset right = std::min(reach[slot - 1] + (reach[slot - 1] < 0 ? 0 : 1), olds);
    const Offset down = reach[slot + 1];
    return std::max({right, down, diagonal, Offset{0}});
  }

  // A cut in a corner would be none.
  static std::optional<Point> inside(const Box& box, const Point& cut) {
    const bool fits = cut.old_line >= box.old_begin && cut.old_line <= box.old_end &&
                      cut.new_line >= box.new_begin && cut.new_line <= box.new_end;
    const bool first = cut.old_line == box.old_begin && cut.new_line == box.new_begin;
    const bool last = cut.old_line == box.old_end && cut.new_line == box.new_end;
    if (!fits || first || last) return std::nullopt;
    return cut;
  }

  bool spend(std::size_t steps = 1) {
    steps_ -= std::min(steps, steps_);
    return steps_ > 0;
  }

  const std::vector<Line>& before_;
  const std::vector<Line>& after_;
  std::size_t steps_;
  LineDiff& result_;
  std::vector<Offset> forward_, backward_;
};

// Lines that both texts have exactly once, in the longest row of them that is in order in both.
std::vector<Point> anchors(const std::vector<Line>& before, const std::vector<Line>& after) {
  struct Seen {
    Offset old_line = 0, new_line = 0;
    int olds = 0, news = 0;
  };
  std::unordered_map<Line, Seen> seen;
  for (std::size_t i = 0; i < before.size(); ++i) {
    Seen& line = seen[before[i]];
    line.old_line = static_cast<Offset>(i);
    ++line.olds;
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    Seen& line = seen[after[i]];
    line.new_line = static_cast<Offset>(i);
    ++line.news;
  }

  // Patience sorting: piles whose top lines ascend; each line remembers the top of the pile to its
  // left when it was laid down.
  std::vector<Point> cards;
  std::vector<std::size_t> left;
  std::vector<std::size_t> tops;
  constexpr std::size_t kNothing = ~std::size_t{0};
  for (const Line id : before) {
    const Seen& line = seen[id];
    if (line.olds != 1 || line.news != 1) continue;
    const auto pile = std::ranges::lower_bound(
        tops, line.new_line, {}, [&cards](std::size_t card) { return cards[card].new_line; });
    left.push_back(pile == tops.begin() ? kNothing : *(pile - 1));
    cards.push_back({line.old_line, line.new_line});
    if (pile == tops.end()) {
      tops.push_back(cards.size() - 1);
    } else {
      *pile = cards.size() - 1;
    }
  }
  std::vector<Point> row;
  for (std::size_t card = tops.empty() ? kNothing : tops.back(); card != kNothing;
       card = left[card]) {
    row.push_back(cards[card]);
  }
  std::ranges::reverse(row);
  return row;
}

}  // namespace

LineDiff diff_lines(const std::vector<Line>& before, const std::vector<Line>& after,
                    std::size_t steps) {
  LineDiff result{std::vector<bool>(before.size()), std::vector<bool>(after.size())};
  SmallestDiff smallest(before, after, steps, result);
  Point from{0, 0};
  for (const Point& anchor : anchors(before, after)) {
    smallest.run({from.old_line, anchor.old_line, from.new_line, anchor.new_line});
    from = {anchor.old_line + 1, anchor.new_line + 1};
  }
  smallest.run({from.old_line, static_cast<Offset>(before.size()), from.new_line,
                static_cast<Offset>(after.size())});
  return result;
}

}  // namespace talaria::edit
