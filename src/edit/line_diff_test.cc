#include "edit/line_diff.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace talaria::edit {
namespace {

using Numbers = std::vector<std::uint32_t>;

std::size_t count(const LineDiff& diff) {
  return static_cast<std::size_t>(std::ranges::count(diff.removed, true) +
                                  std::ranges::count(diff.added, true));
}

// What both keep has to be the same, in the same order.
void expect_consistent(const Numbers& before, const Numbers& after, const LineDiff& diff) {
  Numbers kept_before;
  Numbers kept_after;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!diff.removed[i]) kept_before.push_back(before[i]);
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (!diff.added[i]) kept_after.push_back(after[i]);
  }
  ASSERT_EQ(kept_before, kept_after);
}

// By the table everyone learns first.
std::size_t smallest(const Numbers& a, const Numbers& b) {
  std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      common[i][j] = a[i - 1] == b[j - 1] ? common[i - 1][j - 1] + 1
                                          : std::max(common[i - 1][j], common[i][j - 1]);
    }
  }
  return a.size() + b.size() - 2 * common.back().back();
}

Numbers random_numbers(std::mt19937& random, std::size_t most, std::uint32_t kinds) {
  Numbers numbers(random() % (most + 1));
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random() % kinds);
  return numbers;
}

TEST(LineDiff, IsTheSmallestWhereNoLineIsUnique) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    // Each line twice on each side, so that there is no anchor.
    Numbers before = random_numbers(random, 12, 2 + round % 4);
    Numbers after = random_numbers(random, 12, 2 + round % 4);
    for (std::uint32_t kind = 0; kind < 6; ++kind) {
      before.insert(before.end(), 2, kind);
      after.insert(after.begin(), 2, kind);
    }
    const LineDiff diff = diff_lines(before, after, 1'000'000);
    expect_consistent(before, after, diff);
    ASSERT_EQ(count(diff), smallest(before, after)) << round;
  }
}

TEST(LineDiff, IsConsistentWithAnchorsAndWithoutTime) {
  std::mt19937 random(2);
  for (int round = 0; round < 5'000; ++round) {
    const Numbers before = random_numbers(random, 40, 30);
    const Numbers after = random_numbers(random, 40, 30);
    expect_consistent(before, after, diff_lines(before, after, 1'000'000));
    expect_consistent(before, after, diff_lines(before, after, random() % 50));
  }
}

TEST(LineDiff, ShowsAPieceAsReplacedWhenComparingCostsTooMuch) {
  Numbers before;
  Numbers after;
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    before.push_back(i * 7919 % 5);
    after.push_back(i * 104729 % 7);
  }
  const LineDiff diff = diff_lines(before, after, 10'000);
  expect_consistent(before, after, diff);
  EXPECT_GT(count(diff), 90'000u);
}

TEST(LineDiff, OneChangedLineOfManyIsOneChangedLine) {
  Numbers before(300'000);
  for (std::uint32_t i = 0; i < before.size(); ++i) before[i] = i % 1000;
  Numbers after = before;
  after[150'000] = 5000;
  EXPECT_EQ(count(diff_lines(before, after, 1'000'000)), 2u);
}

}  // namespace
}  // namespace talaria::edit
