// Commands from real habits, each with what it is and why: corpus/*.jsonl, one [command, reason] a
// line.
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
};

std::vector<Entry> read_corpus(const std::string& name) {
  std::ifstream file(std::string(TALARIA_GUARD_CORPUS) + "/" + name + ".jsonl");
  std::vector<Entry> entries;
  for (std::string line; std::getline(file, line);) {
    const boost::json::array row = boost::json::parse(line).as_array();
    entries.push_back({std::string(row.at(0).as_string()), std::string(row.at(1).as_string())});
  }
  return entries;
}

// The share of entries that get the answer; those that do not are shown.
double share(const std::vector<Entry>& entries, const char* name, bool (*right)(guard::Answer)) {
  std::size_t found = 0;
  for (const Entry& entry : entries) {
    const guard::Judgement judgement = judge(entry.command, kContext);
    if (right(judgement.answer)) {
      ++found;
      continue;
    }
    std::printf("  %s, but the answer is %s: %s (%s)", name,
                std::string(guard::answer_name(judgement.answer)).c_str(), entry.command.c_str(),
                entry.reason.c_str());
    for (const guard::Concern& concern : judgement.concerns)
      std::printf(" [%s]", concern.key.c_str());
    std::printf("\n");
  }
  return static_cast<double>(found) / static_cast<double>(entries.size());
}

TEST(GuardCorpusTest, RecallAndPrecision) {
  const std::vector<Entry> hardline = read_corpus("hardline");
  const std::vector<Entry> dangerous = read_corpus("dangerous");
  const std::vector<Entry> benign = read_corpus("benign");
  ASSERT_GE(hardline.size() + dangerous.size(), 300u);
  ASSERT_GE(benign.size(), 300u);

  const double refused = share(hardline, "hardline",
                               [](guard::Answer answer) { return answer == guard::Answer::deny; });
  const double asked = share(dangerous, "dangerous",
                             [](guard::Answer answer) { return answer != guard::Answer::allow; });
  const double untouched =
      share(benign, "benign", [](guard::Answer answer) { return answer == guard::Answer::allow; });
  const double flagged = refused * static_cast<double>(hardline.size()) +
                         asked * static_cast<double>(dangerous.size());
  const double wrongly = (1 - untouched) * static_cast<double>(benign.size());
  std::printf("hardline: %zu commands, recall %.1f %%\n", hardline.size(), 100 * refused);
  std::printf("dangerous: %zu commands, recall %.1f %%\n", dangerous.size(), 100 * asked);
  std::printf("benign: %zu commands, %.1f %% untouched; precision %.1f %%\n", benign.size(),
              100 * untouched, 100 * flagged / (flagged + wrongly));
  EXPECT_EQ(refused, 1.0);
  EXPECT_GE(asked, 0.99);
  EXPECT_GE(untouched, 0.99);
}

TEST(GuardCorpusTest, NothingIsRefusedForGoodThatIsOnlyDangerous) {
  const double asked = share(read_corpus("dangerous"), "dangerous",
                             [](guard::Answer answer) { return answer != guard::Answer::deny; });
  EXPECT_EQ(asked, 1.0);
}

TEST(GuardCorpusTest, NoCommandIsLabelledTwice) {
  std::set<std::string> seen;
  for (const char* name : {"hardline", "dangerous", "benign"}) {
    for (const Entry& entry : read_corpus(name)) {
      EXPECT_TRUE(seen.insert(entry.command).second) << entry.command;
      EXPECT_NE(entry.reason, "") << entry.command;
    }
  }
}

}  // namespace
}  // namespace talaria::test
