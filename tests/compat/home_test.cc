// A home that an earlier version left behind works with the program of today: sessions resume,
// ended processes and their events are still listed, overrides and tokens count. README.md says
// where the home comes from.
#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/world.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHome = TALARIA_COMPAT "/home_0_1_0";

// What is old is forgotten by and by, so this home was left just now.
constexpr const char* kJustNow = R"(
    UPDATE events SET time = strftime('%s') * 1000, stored = strftime('%s') * 1000;
    UPDATE processes SET started = strftime('%s') * 1000, stored = strftime('%s') * 1000,
                         ended = strftime('%s') * 1000;
    UPDATE instances SET stored = strftime('%s') * 1000;)";

// Makes the database that `sql` describes.
void restore_database(const std::string& sql, const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(sql).rdbuf() << kJustNow;
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK) << path;
  char* why = nullptr;
  EXPECT_EQ(sqlite3_exec(database, text.str().c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
  sqlite3_free(why);
  sqlite3_close(database);
}

// The same for the file of a background process: its start (field 16) and its end (17) are times in
// milliseconds, varints of six bytes until the year 2109.
void end_job_just_now(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::string bytes = text.str();
  constexpr std::string_view kStart = "\x80\x01", kEnd = "\x88\x01";
  constexpr std::size_t kVarint = 6;
  const auto now =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                     std::chrono::system_clock::now().time_since_epoch())
                                     .count());
  for (std::size_t at = 0; at + 2 + kVarint <= bytes.size(); ++at) {
    const std::string_view tag = std::string_view(bytes).substr(at, 2);
    if ((tag != kStart && tag != kEnd) || bytes[at + 1 + kVarint] != '\x34') continue;
    for (std::size_t i = 0; i < kVarint; ++i) {
      const std::uint64_t more = i + 1 < kVarint ? 0x80 : 0;
      bytes[at + 2 + i] = static_cast<char>(((now >> (7 * i)) & 0x7f) | more);
    }
  }
  std::ofstream(path, std::ios::trunc) << bytes;
}

class EarlierHomeTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string home = world_.directory("home");
    fs::copy(kHome, home, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    restore_database(home + "/talaria.sql", home + "/talaria/talaria.db");
    for (const auto& job : fs::directory_iterator(home + "/talaria/run/local/jobs")) {
      end_job_just_now(job.path());
    }
    for (const auto& entry : fs::recursive_directory_iterator(home)) {
      fs::permissions(entry.path(), fs::perms::owner_all);
    }
    fs::permissions(home + "/talaria", fs::perms::owner_all);
  }

  World world_;
};

TEST_F(EarlierHomeTest, ASessionResumesWithItsState) {
  const Finished there =
      world_.run({"exec", "--task", "before",
                  R"(pwd; greet; echo "${LANG-unset}"; printf '%s|' "$TWO"; umask)"});
  EXPECT_EQ(there.out, "/usr/share\nhi Nicosia\nunset\na\nb|0027\n") << there.err;
  EXPECT_THAT(world_.run({"exec", "--task", "before", "alias ll; shopt extglob"}).out,
              AllOf(HasSubstr("ls -l"), HasSubstr("on")));
}

TEST_F(EarlierHomeTest, EndedProcessesAndTheirEventsAreListed) {
  const Finished listed = world_.run({"ps", "--all"});
  EXPECT_THAT(listed.out, AllOf(HasSubstr("proc_82f2e75f4ea4"), HasSubstr("exited 3"),
                                HasSubstr("proc_4b295607c6f0"), HasSubstr("exited 0")))
      << listed.err;
  EXPECT_THAT(world_.run({"events"}).out,
              AllOf(HasSubstr("proc_82f2e75f4ea4"), HasSubstr("exited with code 3")));
  EXPECT_EQ(world_.run({"wait", "proc_82f2e75f4ea4"}).code(), 3);
}

TEST_F(EarlierHomeTest, OverridesTokensAndTheAuditLogCount) {
  EXPECT_EQ(world_.run({"exec", "--task", "moved", "pwd"}).out, "/usr/lib\n");
  EXPECT_THAT(world_.run({"token", "list"}).out, HasSubstr("ci"));
  EXPECT_THAT(world_.run({"audit"}).out, HasSubstr("echo old output"));
}

// It was for every command that a rule matches.
TEST_F(EarlierHomeTest, AnApprovalForGoodHasNoEffectUntilItIsConfirmed) {
  const std::string path = world_.path("home/talaria/talaria.db");
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(
      sqlite3_exec(database, "INSERT INTO grants VALUES ('', 'local', 'recursive delete', 1, NULL)",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(database);
  world_.set("TALARIA_APPROVALS_HEADLESS", "deny");
  const std::string data = world_.directory("work/data");
  const Finished refused = world_.exec("rm -rf data");
  EXPECT_EQ(refused.code(), 126);
  EXPECT_THAT(refused.err, HasSubstr("talaria grants confirm grant_"));
  EXPECT_THAT(world_.exec("rm -rf data").err, Not(HasSubstr("grants confirm"))) << "shown once";
  const std::string listed = world_.run({"grants", "list"}).out;
  EXPECT_THAT(listed, HasSubstr("(unconfirmed)"));
  const std::size_t at = listed.find("grant_");
  ASSERT_NE(at, std::string::npos);
  const std::string id = listed.substr(at, std::string_view("grant_0123456789ab").size());
  const Finished confirmed = world_.run({"grants", "confirm", id});
  EXPECT_EQ(confirmed.code(), 0) << confirmed.err;
  EXPECT_THAT(confirmed.out, HasSubstr("every command that matches the rule 'recursive delete'"));
  EXPECT_EQ(world_.exec("rm -rf data").code(), 0);
  EXPECT_FALSE(fs::exists(data));
}

TEST_F(EarlierHomeTest, NewWorkGoesBesideTheOld) {
  const Finished started = world_.run({"start", "echo new; exit 4"});
  ASSERT_EQ(started.code(), 0) << started.err;
  const std::string id = started.out.substr(0, started.out.find('\n'));
  EXPECT_EQ(world_.run({"wait", id}).code(), 4);
  EXPECT_THAT(world_.run({"ps", "--all"}).out,
              AllOf(HasSubstr(id), HasSubstr("proc_82f2e75f4ea4")));
  EXPECT_THAT(world_.run({"doctor"}).err, Not(HasSubstr("damaged")));
}

}  // namespace
}  // namespace talaria::test
