#include "edit/similarity.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/limits.h"

namespace talaria::edit {
namespace {

double ratio(std::string_view a, std::string_view b, double least = 0) {
  WorkBudget budget(kMaxSimilaritySteps);
  return Similarity(to_chars(b)).ratio(to_chars(a), least, budget);
}

// The numbers are those of Python's difflib.SequenceMatcher(None, a, b).ratio().
TEST(Similarity, IsThatOfDifflib) {
  std::string_view fox = "the quick brown fox jumps over the lazy dog\n";
  std::string lazy;
  std::string crazy;
  for (int i = 0; i < 6; ++i) {
    lazy += fox;
    crazy += fox;
    crazy.replace(crazy.rfind("lazy"), 4, "crazy");
  }
  const struct {
    const char* name;
    std::string a;
    std::string b;
    double expected;
  } cases[] = {
      {"both empty", "", "", 1.0},
      {"one empty", "a", "", 0.0},
      {"same", "abcd", "abcd", 1.0},
      {"shifted", "abcd", "bcde", 0.75},
      {"inserted word", "private Thread currentThread;", "private volatile Thread currentThread;",
       0.8656716417910447},
      {"one digit", "x = 1", "x = 2", 0.8},
      {"one way", "tide", "diet", 0.25},
      {"the other way", "diet", "tide", 0.5},
      {"characters, not bytes", "é—ü", "é-ü", 2.0 / 3},
      {"two stretches", "qabxcd", "abycdf", 2.0 / 3},
      {"common characters of a long text", crazy, lazy, 0.13108614232209737},
      {"all common, same start", std::string(250, 'a'), std::string(250, 'a'), 1.0},
      {"all common, other start", "b" + std::string(250, 'a'), std::string(250, 'a'), 0.0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_DOUBLE_EQ(ratio(c.a, c.b), c.expected);
  }
}

// A checksum over 200 pairs of random texts, computed with difflib from the same numbers.
TEST(Similarity, IsThatOfDifflibForRandomTexts) {
  std::uint64_t state = 1;
  const auto next = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
  };
  long long sum = 0;
  for (int n = 1; n <= 200; ++n) {
    const auto a_size = next() % 300;
    const auto b_size = next() % 300;
    const auto letters = 2 + next() % 60;
    const auto text = [&](std::uint64_t size) {
      std::string letters_of_it;
      for (std::uint64_t i = 0; i < size; ++i) {
        letters_of_it += static_cast<char>(32 + next() % letters);
      }
      return letters_of_it;
    };
    const std::string a = text(a_size);
    const std::string b = text(b_size);
    sum += std::llround(ratio(a, b) * static_cast<double>(a_size + b_size) / 2) * n;
  }
  EXPECT_EQ(sum, 250731);
}

TEST(Similarity, SaysNothingBelowWhatIsWanted) {
  EXPECT_DOUBLE_EQ(ratio("x = 1", "x = 2", 0.8), 0.8);
  EXPECT_DOUBLE_EQ(ratio("x = 1", "x = 2", 0.81), 0);
}

TEST(Similarity, GivesUpWhenItCostsTooMuch) {
  std::string a;
  std::string b;
  for (int i = 0; i < 20'000; ++i) {
    a += static_cast<char>('a' + i % 7 * 3 % 26);
    b += static_cast<char>('a' + i % 11 * 5 % 26);
  }
  WorkBudget budget(1'000'000);
  Similarity similarity(to_chars(b.substr(0, 199)));
  for (int i = 0; i < 1000 && !budget.exhausted(); ++i) {
    similarity.ratio(to_chars(a.substr(0, 199)), 0, budget);
  }
  EXPECT_TRUE(budget.exhausted());
  EXPECT_DOUBLE_EQ(similarity.ratio(to_chars(b.substr(0, 199)), 0, budget), 0);
}

}  // namespace
}  // namespace talaria::edit
