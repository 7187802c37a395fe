// Whether bash runs the words the guard saw, and refuses the texts the guard cannot read.
#include <algorithm>
#include <cstdio>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "guard/bash.h"
#include "guard/random_script.h"
#include "policy/guard/guard.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/syntax/script_reader.h"

namespace talaria {
namespace {

using Argv = std::vector<std::string>;

constexpr unsigned kScripts = 400;

// Every call of `show` writes its words, whatever its output is connected to.
constexpr std::string_view kPrelude =
    "exec 9>../ran\n"
    "show() { printf '%s\\0' show \"$@\" >&9; printf '\\1\\0' >&9; }\n";

std::vector<Argv> words_bash_ran(const ThrowAwayDirectory& directory, const std::string& text) {
  run_bash(directory, "", std::string(kPrelude) + text);
  std::vector<Argv> all;
  Argv words;
  const std::string ran = read_file(directory.path() + "/ran");
  for (std::size_t at = 0; at < ran.size();) {
    const std::size_t end = std::min(ran.find('\0', at), ran.size());
    const std::string word = ran.substr(at, end - at);
    at = end + 1;
    if (word != "\1") {
      words.push_back(word);
    } else {
      all.push_back(std::exchange(words, {}));
    }
  }
  return all;
}

bool is_known(const Argv& words) {
  return std::ranges::none_of(words, [](const std::string& word) { return word.contains("…"); });
}

// Word by word; "…" stands for anything.
bool same(const Argv& seen, const Argv& ran) {
  if (is_known(seen)) return seen == ran;
  return seen.size() <= ran.size() + 1;  // an unknown piece may be no word, or several
}

TEST(GuardDifferentialTest, BashRunsTheWordsTheGuardSaw) {
  const ThrowAwayDirectory directory;
  const GuardContext context{.home = "/home/alice"};
  std::size_t ran_commands = 0;
  std::size_t known_commands = 0;
  std::size_t unreadable = 0;
  for (unsigned seed = 1; seed <= kScripts; ++seed) {
    const std::string text = RandomScript(seed).text();
    const std::vector<Argv> ran = words_bash_ran(directory, text);
    const Judgement judgement = judge(text, context);
    if (!read_script(text).trouble.empty()) {  // then it is asked for, whatever runs
      EXPECT_EQ(judgement.answer, Answer::ask);
      ++unreadable;
      continue;
    }
    for (const Argv& words : ran) {
      ++ran_commands;
      const bool seen = std::ranges::any_of(judgement.commands,
                                            [&](const Argv& one) { return same(one, words); });
      known_commands += std::ranges::find(judgement.commands, words) != judgement.commands.end();
      std::string shown;
      for (const std::string& word : words) shown += "[" + word + "]";
      EXPECT_TRUE(seen) << "seed " << seed << ", bash ran " << shown << " in\n" << text;
    }
  }
  std::printf("bash ran %zu commands; the guard knew every word of %zu\n", ran_commands,
              known_commands);
  EXPECT_LE(unreadable, kScripts / 50);
  EXPECT_GE(ran_commands, kScripts * 2);
  EXPECT_GE(static_cast<double>(known_commands), 0.9 * static_cast<double>(ran_commands));
}

TEST(GuardDifferentialTest, ReadsWhatBashReads) {
  const ThrowAwayDirectory directory;
  for (const char* name : {"hardline", "dangerous", "benign"}) {
    std::ifstream file(std::string(TALARIA_GUARD_CORPUS) + "/" + name + ".jsonl");
    for (std::string line; std::getline(file, line);) {
      const std::string text(boost::json::parse(line).as_array().at(0).as_string());
      if (text.find_first_of(std::string_view("\0\x1b", 2)) != std::string::npos) continue;
      const bool readable = run_bash(directory, "-O extglob -n", text) == 0;
      EXPECT_EQ(read_script(text).trouble.empty(), readable) << text;
    }
  }
}

}  // namespace
}  // namespace talaria
