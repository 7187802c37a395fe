#include "policy/audit/audit_log.h"

#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "json/json_text.h"
#include "testing/temporary_directory.h"

namespace talaria::policy {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return lines;
}

class AuditLogTest : public testing::Test {
 protected:
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(home_.path("talaria/audit"))) {
      if (entry.path().extension() == ".jsonl") found.push_back(entry.path().filename());
    }
    return found;
  }
  // Every line that is there, of all files.
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const fs::path& file : files()) {
      for (std::string& line : lines_of(home_.read("talaria/audit/" + file.string()))) {
        all.push_back(std::move(line));
      }
    }
    return all;
  }

  test::TemporaryDirectory home_;
};

TEST_F(AuditLogTest, ALineIsJsonWithItsTimeAndTheFileIsItsOwnersAlone) {
  AuditLog log(home_.path(), {});
  ASSERT_TRUE(log.write({{"kind", "command"}, {"command", "a\nb"}}));
  const auto all = lines();
  ASSERT_EQ(all.size(), 1u);
  const auto line = parse_object(all[0], "line");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->at("command"), "a\nb");
  EXPECT_EQ(line->at("time").as_string().size(), std::string("2026-11-15T14:00:00.123Z").size());
  struct stat facts{};
  ASSERT_EQ(::stat(audit_file(home_.path()).c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(audit_directory(home_.path()).c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700u);
}

TEST_F(AuditLogTest, ManyWritersAndAFullFileLoseNothing) {
  constexpr int kWriters = 8;
  constexpr int kLines = 300;
  const host::AuditConfig config{.max_bytes = 1'000, .keep = 100'000};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      AuditLog log(home_.path(), config);
      for (int line = 0; line < kLines; ++line) {
        EXPECT_TRUE(log.write({{"who", std::to_string(writer) + "/" + std::to_string(line)}}));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  std::set<std::string> seen;
  for (const std::string& text : lines()) {
    const auto line = parse_object(text, "line");
    ASSERT_TRUE(line) << text;
    seen.insert(std::string(line->at("who").as_string()));
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kWriters * kLines));
  EXPECT_GT(files().size(), 3u) << "it was full now and then";
}

TEST_F(AuditLogTest, TheOldestFullFilesGo) {
  AuditLog log(home_.path(), {.max_bytes = 1, .keep = 3});
  for (int count = 0; count < 10; ++count) {
    ASSERT_TRUE(log.write({{"n", count}}));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // names are times
  }
  EXPECT_LE(files().size(), 4u);
  EXPECT_GE(files().size(), 3u);
}

TEST_F(AuditLogTest, WhatCannotBeWrittenIsToldOnce) {
  home_.write("talaria/audit", "a file in its place");
  ::chmod(home_.path("talaria").c_str(), 0700);
  AuditLog log(home_.path(), {});
  EXPECT_FALSE(log.write({{"n", 1}}));
  EXPECT_TRUE(log.write({{"n", 2}}));
  fs::remove(home_.path("talaria/audit"));
  EXPECT_TRUE(log.write({{"n", 3}}));
  EXPECT_EQ(lines().size(), 1u) << "it continues when it can";
}

TEST_F(AuditLogTest, NothingIsWrittenWhenItIsOff) {
  AuditLog log(home_.path(), {.enabled = false});
  EXPECT_TRUE(log.write({{"n", 1}}));
  EXPECT_FALSE(fs::exists(home_.path("talaria")));
}

TEST_F(AuditLogTest, TimesAreInOrderAsTexts) {
  EXPECT_EQ(audit_time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(audit_time(1'763'215'200'042), "2025-11-15T14:00:00.042Z");
}

}  // namespace
}  // namespace talaria::policy
