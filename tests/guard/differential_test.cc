// Whether bash runs the words the guard saw, and refuses the texts the guard cannot read.
#include <algorithm>
#include <cstdio>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "guard/bash.h"
#include "guard/random_script.h"
#include "guard/random_state.h"
#include "policy/guard/guard.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/syntax/script_reader.h"

namespace talaria::test {
namespace {

using Argv = std::vector<std::string>;

constexpr unsigned kScripts = 400;

bool is_known(const Argv& words) {
  return std::ranges::none_of(words, [](const std::string& word) { return word.contains("…"); });
}

// Word by word; "…" stands for anything.
bool same(const Argv& seen, const Argv& ran) {
  if (is_known(seen)) return seen == ran;
  return seen.size() <= ran.size() + 1;  // an unknown piece may be no word, or several
}

struct Compared {
  std::size_t ran = 0;
  std::size_t known = 0;  // of those, how many the guard knew every word of
  std::size_t unreadable = 0;
};

// Expects that the guard saw everything bash ran.
void compare(const ThrowAwayDirectory& directory, const std::string& text, unsigned seed,
             Compared& compared) {
  const std::vector<Argv> ran = words_bash_ran(directory, text);
  const guard::Judgement judgement = guard::judge(text, {.home = "/home/alice"});
  const bool given_up = std::ranges::any_of(judgement.concerns, [](const guard::Concern& concern) {
    return concern.key == "too much to follow";
  });
  if (given_up ||
      !guard::read_script(text).trouble.empty()) {  // then it is asked for, whatever runs
    EXPECT_EQ(judgement.answer, guard::Answer::ask);
    ++compared.unreadable;
    return;
  }
  for (const Argv& words : ran) {
    ++compared.ran;
    const bool seen =
        std::ranges::any_of(judgement.commands, [&](const Argv& one) { return same(one, words); });
    compared.known += std::ranges::find(judgement.commands, words) != judgement.commands.end();
    std::string shown;
    for (const std::string& word : words) shown += "[" + word + "]";
    EXPECT_TRUE(seen) << "seed " << seed << ", bash ran " << shown << " in\n" << text;
  }
}

TEST(GuardDifferentialTest, BashRunsTheWordsTheGuardSaw) {
  const ThrowAwayDirectory directory;
  Compared compared;
  for (unsigned seed = 1; seed <= kScripts; ++seed) {
    compare(directory, RandomScript(seed).text(), seed, compared);
  }
  std::printf("bash ran %zu commands; the guard knew every word of %zu\n", compared.ran,
              compared.known);
  EXPECT_LE(compared.unreadable, kScripts / 50);
  EXPECT_GE(compared.ran, kScripts * 2);
  EXPECT_GE(static_cast<double>(compared.known), 0.9 * static_cast<double>(compared.ran));
}

TEST(GuardDifferentialTest, WhatMayHaveChangedIsSeenBothWays) {
  const ThrowAwayDirectory directory;
  Compared compared;
  for (unsigned seed = 1; seed <= kScripts; ++seed) {
    compare(directory, RandomState(seed).text(), seed, compared);
  }
  std::printf("bash ran %zu commands; the guard knew every word of %zu, and gave up %zu texts\n",
              compared.ran, compared.known, compared.unreadable);
  EXPECT_LE(compared.unreadable, kScripts / 20);
  EXPECT_GE(compared.ran, kScripts * 5);
  EXPECT_GE(static_cast<double>(compared.known), 0.5 * static_cast<double>(compared.ran));
}

TEST(GuardDifferentialTest, ReadsWhatBashReads) {
  const ThrowAwayDirectory directory;
  for (const char* name : {"hardline", "dangerous", "benign"}) {
    std::ifstream file(std::string(TALARIA_GUARD_CORPUS) + "/" + name + ".jsonl");
    for (std::string line; std::getline(file, line);) {
      const std::string text(boost::json::parse(line).as_array().at(0).as_string());
      if (text.find_first_of(std::string_view("\0\x1b", 2)) != std::string::npos) continue;
      const bool readable = run_bash(directory, "-O extglob -n", text) == 0;
      EXPECT_EQ(guard::read_script(text).trouble.empty(), readable) << text;
    }
  }
}

}  // namespace
}  // namespace talaria::test
