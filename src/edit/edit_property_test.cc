// What holds for every edit, tried on many made up at random, and on files made to be slow.

#include <algorithm>
#include <ctime>
#include <random>

#include <gtest/gtest.h>

#include "edit/diff.h"
#include "edit/file_text.h"
#include "edit/hunks.h"
#include "edit/line_diff.h"
#include "edit/replace.h"
#include "edit/v4a_plan.h"

namespace talaria::edit {
namespace {

// Few kinds of line, so that some repeat; every kind of end; bytes that are not UTF-8.
std::string random_file(std::mt19937& random) {
  const std::string_view words[] = {"a", "b = 1",  "  if (x) {", "}", "\treturn “y”;",
                                    "",  "caf\xE9"};
  std::string text = random() % 5 == 0 ? std::string(kBom) : "";
  const auto lines = 1 + random() % 12;
  for (std::size_t i = 0; i < lines; ++i) {
    text += words[random() % std::size(words)];
    text += random() % 3 == 0 ? "\r\n" : "\n";
  }
  if (random() % 3 == 0) text += "the end";
  return text;
}

std::string lf(std::string_view text) { return fold_line_endings(text).text(); }

TEST(EditProperties, WhatIsOutsideOfTheMatchStaysAsItWas) {
  std::mt19937 random(4);
  int made = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string file = random_file(random);
    const std::size_t begin = random() % file.size();
    const std::size_t size = 1 + random() % (file.size() - begin);
    const std::string old_text = lf(without_bom(file.substr(begin, size)));
    if (old_text.empty() || !old_text.contains("=")) continue;
    const auto replaced = replace_text(file, {old_text, "<new>"});
    if (!replaced || replaced->strategy != Strategy::exact) continue;
    ++made;
    const std::size_t at = replaced->content.find("<new>");
    ASSERT_NE(at, std::string::npos);
    const std::string_view ahead = std::string_view(replaced->content).substr(0, at);
    const std::string_view behind = std::string_view(replaced->content).substr(at + 5);
    ASSERT_TRUE(file.starts_with(ahead));
    ASSERT_TRUE(file.ends_with(behind));
    ASSERT_EQ(lf(file.substr(ahead.size(), file.size() - ahead.size() - behind.size())), old_text);
  }
  EXPECT_GT(made, 1000);
}

TEST(EditProperties, ReplacingBackGivesTheOriginalBytes) {
  std::mt19937 random(5);
  int made = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string file = random_file(random);
    const std::string text = lf(file);
    const auto lines = split_lines(text);
    const std::string old_text(lines[random() % lines.size()]);
    const std::string new_text = "unique " + std::to_string(round);
    if (old_text.empty() || old_text.starts_with(kBom)) continue;
    const auto there = replace_text(file, {old_text, new_text});
    if (!there || there->strategy != Strategy::exact) continue;
    const auto back = replace_text(there->content, {new_text, old_text});
    ASSERT_TRUE(back) << back.error().message;
    ASSERT_EQ(back->content, file);
    ++made;
  }
  EXPECT_GT(made, 1000);
}

// One hunk with every line of both texts: where they differ and what they share.
Hunk whole_hunk(const std::string& before, const std::string& after) {
  const auto old_lines = split_lines(before);
  const auto new_lines = split_lines(after);
  std::vector<std::uint32_t> old_numbers;
  std::vector<std::uint32_t> new_numbers;
  std::vector<std::string_view> known;
  const auto number = [&known](std::string_view line) {
    const auto found = std::ranges::find(known, line);
    if (found == known.end()) known.push_back(line);
    return static_cast<std::uint32_t>(std::ranges::find(known, line) - known.begin());
  };
  for (const auto line : old_lines) old_numbers.push_back(number(line));
  for (const auto line : new_lines) new_numbers.push_back(number(line));
  const LineDiff diff = diff_lines(old_numbers, new_numbers, 1'000'000);
  Hunk hunk;
  std::size_t j = 0;
  using Kind = HunkLine::Kind;
  const auto take_added = [&] {
    for (; j < new_lines.size() && diff.added[j]; ++j) {
      hunk.lines.push_back({Kind::added, std::string(new_lines[j])});
    }
  };
  for (std::size_t i = 0; i < old_lines.size(); ++i) {
    if (diff.removed[i]) {
      hunk.lines.push_back({Kind::removed, std::string(old_lines[i])});
      continue;
    }
    take_added();
    hunk.lines.push_back({Kind::context, std::string(old_lines[i])});
    ++j;
  }
  take_added();
  return hunk;
}

Hunk reversed(Hunk hunk) {
  for (HunkLine& line : hunk.lines) {
    using Kind = HunkLine::Kind;
    if (line.kind == Kind::context) continue;
    line.kind = line.kind == Kind::added ? Kind::removed : Kind::added;
  }
  return hunk;
}

TEST(EditProperties, AHunkAppliedAndReversedGivesTheOriginalBytes) {
  std::mt19937 random(6);
  int made = 0;
  for (int round = 0; round < 20'000; ++round) {
    // One kind of line ending: of lines that are gone nobody knows how they ended.
    const bool crlf = random() % 2 == 0;
    const auto shaped = [crlf](std::string text) {
      text = lf(text);
      if (!crlf) return text;
      std::string result;
      for (const char c : text) result += c == '\n' ? "\r\n" : std::string(1, c);
      return result;
    };
    const std::string file = shaped(random_file(random));
    const std::string body = lf(without_bom(file));
    const std::string other = lf(without_bom(random_file(random)));
    const Hunk hunk = whole_hunk(body, other);
    const bool keeps = std::ranges::any_of(
        hunk.lines, [](const HunkLine& line) { return line.kind == HunkLine::Kind::context; });
    if (!keeps || body == other) continue;
    HunkEditor there(file);
    if (there.apply(hunk)) continue;  // both have the same lines
    const std::string changed = there.bytes();
    HunkEditor back(changed);
    const auto problem = back.apply(reversed(hunk));
    ASSERT_FALSE(problem) << *problem;
    const bool open_end_lost = !file.ends_with('\n') && changed.ends_with('\n');
    ASSERT_EQ(back.bytes(), open_end_lost ? file + (crlf ? "\r\n" : "\n") : file);
    ++made;
  }
  EXPECT_GT(made, 5000);
}

class SlowFiles : public testing::Test {
 protected:
  // Each of these takes about a second of the processor; a quadratic search would take hours.
  void TearDown() override { EXPECT_LT((std::clock() - start_) / CLOCKS_PER_SEC, 60); }

  static constexpr std::size_t kFile = 10u << 20;
  static constexpr std::size_t kPattern = 100u << 10;

 private:
  std::clock_t start_ = std::clock();
};

std::string repeated(std::string_view part, std::size_t size) {
  std::string text;
  while (text.size() < size) text += part;
  return text;
}

TEST_F(SlowFiles, OneByteOverAndOver) {
  const std::string file(kFile, 'a');
  EXPECT_FALSE(replace_text(file, {std::string(kPattern, 'a') + "b", "x"}));
  const auto everywhere = replace_text(file, {std::string(kPattern, 'a'), "x"});
  ASSERT_FALSE(everywhere);
  EXPECT_TRUE(everywhere.error().message.starts_with("Found over 1000000 matches"));
}

TEST_F(SlowFiles, OneLineOverAndOver) {
  const std::string file = repeated("  foo(bar);\n", kFile);
  EXPECT_FALSE(replace_text(file, {repeated("foo(bar);\n", kPattern) + "foo(baz);", "x"}));
}

TEST_F(SlowFiles, AnchorsEverywhere) {
  const std::string file = repeated("}\nx = compute(first, second);\n", kFile);
  std::string pattern = "}\n";
  for (std::size_t i = 0; pattern.size() < kPattern; ++i) {
    pattern += "x = compute(first, " + std::to_string(i) + ");\n}\n";
  }
  EXPECT_FALSE(replace_text(file, {pattern, "x"}));
}

TEST_F(SlowFiles, BlanksEverywhere) {
  const std::string file = repeated("\t\n  \n", kFile);
  EXPECT_FALSE(replace_text(file, {repeated(" \n\t\n", kPattern) + "x", "y"}));
}

TEST_F(SlowFiles, OneLongLine) {
  const std::string file = repeated("lorem ipsum dolor sit amet ", kFile);
  EXPECT_FALSE(replace_text(file, {repeated("lorem  ipsum dolor sit amet? ", kPattern), "x"}));
}

TEST_F(SlowFiles, ManyPlaces) {
  const std::string file = repeated("ab\r\n", 1u << 20);
  const auto replaced = replace_text(file, {"a", "c\nd", true});
  ASSERT_TRUE(replaced);
  EXPECT_EQ(replaced->content, repeated("c\r\ndb\r\n", replaced->content.size()));
}

TEST_F(SlowFiles, ADiffOfTwoThatHaveLittleInCommon) {
  std::mt19937 random(7);
  const auto text = [&random] {
    std::string lines;
    while (lines.size() < kFile) lines += "line " + std::to_string(random() % 1000) + "\n";
    return lines;
  };
  const std::string before = text();
  EXPECT_FALSE(unified_diff(before, text(), "a", "b").empty());
}

TEST_F(SlowFiles, APatchWithManyHunks) {
  std::string file;
  std::string patch = "*** Update File: f\n";
  for (int i = 0; file.size() < kFile; ++i) {
    file += "this is line number " + std::to_string(i) + " of a long file\n";
    if (i % 500 != 0) continue;
    patch += "@@\n-this is line number " + std::to_string(i) + " of a long file\n+changed\n";
  }
  const auto parsed = parse_patch(patch);
  ASSERT_TRUE(parsed);
  const auto plan = plan_patch(
      *parsed, [&](const std::string&) -> Result<std::optional<std::string>> { return file; });
  EXPECT_TRUE(plan) << plan.error().substr(0, 500);
}

}  // namespace
}  // namespace talaria::edit
