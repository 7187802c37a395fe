// Commands from real habits, each with what it is and why: corpus/*.jsonl, one [command, reason] a
// line. The label is what a command is by the definition (docs/reference/guard.md), not what the
// guard answers. corpus/missed.jsonl has those that the guard is known to get wrong, as [command,
// reason, label]; docs/known-gaps.md says why.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "policy/guard/guard.h"

namespace talaria::test {
namespace {

const guard::GuardContext kContext{
    .home = "/home/alice", .hermes_home = "/home/alice/.hermes", .directory = "/home/alice/proj"};

struct Entry {
  std::string command;
  std::string reason;
  std::string label;
};

std::vector<Entry> read_corpus(const std::string& name) {
  std::ifstream file(std::string(TALARIA_GUARD_CORPUS) + "/" + name + ".jsonl");
  std::vector<Entry> entries;
  for (std::string line; std::getline(file, line);) {
    const boost::json::array row = boost::json::parse(line).as_array();
    entries.push_back({std::string(row.at(0).as_string()), std::string(row.at(1).as_string()),
                       row.size() > 2 ? std::string(row.at(2).as_string()) : name});
  }
  return entries;
}

bool is_right(const Entry& entry, guard::Answer answer) {
  if (entry.label == "hardline") return answer == guard::Answer::deny;
  if (entry.label == "dangerous") return answer == guard::Answer::ask;
  return answer == guard::Answer::allow;
}

// The number of entries that get the right answer; the others are shown.
std::size_t count_right(const std::vector<Entry>& entries) {
  std::size_t found = 0;
  for (const Entry& entry : entries) {
    const guard::Judgement judgement = judge(entry.command, kContext);
    if (is_right(entry, judgement.answer)) {
      ++found;
      continue;
    }
    std::printf("  %s, but the answer is %s: %s (%s)", entry.label.c_str(),
                std::string(guard::answer_name(judgement.answer)).c_str(), entry.command.c_str(),
                entry.reason.c_str());
    for (const guard::Concern& concern : judgement.concerns)
      std::printf(" [%s]", concern.key.c_str());
    std::printf("\n");
  }
  return found;
}

TEST(GuardCorpusTest, EveryCommandGetsTheAnswerOfItsLabel) {
  const std::vector<Entry> missed = read_corpus("missed");
  for (const std::string label : {"hardline", "dangerous", "benign"}) {
    const std::vector<Entry> entries = read_corpus(label);
    ASSERT_GE(entries.size(), 300u);
    const std::size_t right = count_right(entries);
    EXPECT_EQ(right, entries.size()) << label;

    const auto known = std::ranges::count(missed, label, &Entry::label);
    const double all = static_cast<double>(entries.size()) + static_cast<double>(known);
    std::printf("%s: %.0f commands, %.2f %% get the right answer; %td are known to be missed\n",
                label.c_str(), all, 100 * static_cast<double>(right) / all, known);
  }
}

// An entry that the guard begins to get right moves to the file of its label.
TEST(GuardCorpusTest, WhatIsMissedIsStillMissed) {
  for (const Entry& entry : read_corpus("missed")) {
    EXPECT_FALSE(is_right(entry, judge(entry.command, kContext).answer))
        << "move it to " << entry.label << ".jsonl: " << entry.command;
  }
}

TEST(GuardCorpusTest, NoCommandIsLabelledTwice) {
  std::set<std::string> seen;
  for (const char* name : {"hardline", "dangerous", "benign", "missed"}) {
    for (const Entry& entry : read_corpus(name)) {
      EXPECT_TRUE(seen.insert(entry.command).second) << entry.command;
      EXPECT_NE(entry.reason, "") << entry.command;
    }
  }
}

}  // namespace
}  // namespace talaria::test
