// The stores of events and processes, and the database they share.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "host/store/event_store.h"
#include "host/store/grant_store.h"
#include "host/store/journal_mode.h"
#include "host/store/process_store.h"
#include "host/store/schema.h"
#include "host/store/session_store.h"
#include "testing/temporary_directory.h"

namespace talaria::host {
namespace {

using std::chrono::days;
using std::chrono::system_clock;
using testing::ElementsAre;
using testing::HasSubstr;

class StoreTest : public testing::Test {
 protected:
  // As another program has them.
  std::shared_ptr<HomeDatabase> open() const { return std::make_shared<HomeDatabase>(home_); }
  EventStore open_events() const { return EventStore(open()); }
  std::string file() const { return home_ + "/talaria/talaria.db"; }

  const test::TemporaryDirectory directory_;
  const std::string home_ = directory_.path();
  std::shared_ptr<HomeDatabase> database_ = open();
  EventStore events_{database_};
  ProcessStore processes_{database_};
};

ProcessEvent end_of(const std::string& process, bool announced = true) {
  return {.type = EventType::completion, .process = process, .announced = announced};
}

ProcessEvent match_of(const std::string& process) {
  return {.type = EventType::watch_match, .process = process, .pattern = "ready"};
}

std::vector<std::string> processes_of(const Result<std::vector<ProcessEvent>>& events) {
  std::vector<std::string> names;
  if (!events) return {events.error().message()};
  for (const ProcessEvent& event : *events) names.push_back(event.process);
  return names;
}

mode_t mode_of(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
}

TEST_F(StoreTest, AnEventComesBackAsItWasGiven) {
  const ProcessEvent given{.type = EventType::completion,
                           .process = "proc_0123456789ab",
                           .task = "t",
                           .session_key = "chat:1",
                           .target = "local",
                           .command = "make -j2",
                           .time = system_clock::time_point(std::chrono::milliseconds(1'700'000)),
                           .announced = true,
                           .ended = ProcessEnd::killed,
                           .exit_code = -15,
                           .source = "process.kill",
                           .output = std::string("a\0b\xff\n", 5),
                           .pattern = "p",
                           .suppressed = 7,
                           .message = "m"};
  ASSERT_TRUE(open_events().add({"i", 1}, given).value());
  const auto events = open_events().after(0, 10).value();
  ASSERT_EQ(events.size(), 1u);
  const ProcessEvent& kept = events[0];
  EXPECT_EQ(kept.id, 1u);
  EXPECT_EQ(kept.type, given.type);
  EXPECT_EQ(kept.process, given.process);
  EXPECT_EQ(kept.task, given.task);
  EXPECT_EQ(kept.session_key, given.session_key);
  EXPECT_EQ(kept.target, given.target);
  EXPECT_EQ(kept.command, given.command);
  EXPECT_EQ(kept.time, given.time);
  EXPECT_EQ(kept.announced, given.announced);
  EXPECT_EQ(kept.ended, given.ended);
  EXPECT_EQ(kept.exit_code, given.exit_code);
  EXPECT_EQ(kept.source, given.source);
  EXPECT_EQ(kept.output, given.output);
  EXPECT_EQ(kept.pattern, given.pattern);
  EXPECT_EQ(kept.suppressed, given.suppressed);
  EXPECT_EQ(kept.message, given.message);
}

TEST_F(StoreTest, NobodyElseMayReadIt) {
  ASSERT_TRUE(events_.add({"i", 1}, end_of("p")));
  EXPECT_EQ(mode_of(home_ + "/talaria"), 0700u);
  EXPECT_EQ(mode_of(file()), 0600u);
  EXPECT_EQ(mode_of(file() + "-wal"), 0600u);
}

TEST_F(StoreTest, TheSameNumberOfTheSameInstanceIsOneEvent) {
  EXPECT_TRUE(*events_.add({"i", 1}, match_of("p")));
  EXPECT_FALSE(*events_.add({"i", 1}, match_of("p")));
  EXPECT_TRUE(*events_.add({"j", 1}, match_of("p")));
  const std::vector<environment::NumberedEvent> batch{
      {1, match_of("p")}, {2, match_of("p")}, {9, match_of("p")}};
  EXPECT_EQ(*events_.add_all("i", batch), 2u);
  EXPECT_EQ(*events_.last_number("i"), 9u);
  EXPECT_EQ(*events_.last_number("j"), 1u);
  EXPECT_EQ(*events_.last_number("k"), 0u);
}

TEST_F(StoreTest, AProcessEndsOnceHoweverOftenItIsReported) {
  ASSERT_TRUE(processes_.add({.id = "p", .environment = "e"}));
  EXPECT_TRUE(*events_.add({"i", 4}, end_of("p")));
  EXPECT_FALSE(*events_.add({"j", 1}, end_of("p")));
  EXPECT_FALSE(*events_.add({"i", 0}, end_of("p")));
  EXPECT_EQ(*events_.last_number("j"), 1u);
  EXPECT_EQ(events_.after(0, 10)->size(), 1u);
  EXPECT_TRUE((*processes_.find("p"))->ended);
}

TEST_F(StoreTest, AnInstanceIsLostOnceAndOurEventsNeedNoNumber) {
  const ProcessEvent lost{.type = EventType::target_lost, .target = "box"};
  EXPECT_TRUE(*events_.add({"i", 0}, lost));
  EXPECT_FALSE(*events_.add({"i", 0}, lost));
  EXPECT_TRUE(*events_.add({"j", 0}, lost));
  EXPECT_TRUE(*events_.add({"i", 0}, end_of("p")));
  EXPECT_TRUE(*events_.add({"i", 0}, end_of("q")));
  EXPECT_EQ(*events_.last_number("i"), 0u);
}

TEST_F(StoreTest, EveryConsumerHasACursorOfItsOwnThatNeverGoesBack) {
  for (std::uint64_t i = 1; i <= 4; ++i) {
    ASSERT_TRUE(events_.add({"i", i}, end_of("p" + std::to_string(i))));
  }
  EXPECT_EQ(*events_.cursor("a"), 0u);
  EXPECT_THAT(processes_of(events_.pending("a", 2)), ElementsAre("p1", "p2"));
  ASSERT_TRUE(events_.move_cursor("a", 3));
  ASSERT_TRUE(events_.move_cursor("a", 1));
  EXPECT_EQ(*events_.cursor("a"), 3u);
  EXPECT_THAT(processes_of(events_.pending("a", 10)), ElementsAre("p4"));
  EXPECT_THAT(processes_of(events_.pending("b", 10)), ElementsAre("p1", "p2", "p3", "p4"));
}

// What poll, log or wait have reported is not reported again, whether the event came before or
// after.
TEST_F(StoreTest, AnEndThatWasReadIsNotAnnounced) {
  ASSERT_TRUE(events_.add({"i", 1}, end_of("before")));
  EXPECT_FALSE(*events_.is_consumed("before"));
  ASSERT_TRUE(events_.mark_consumed("before"));
  ASSERT_TRUE(events_.mark_consumed("before"));
  ASSERT_TRUE(events_.mark_consumed("after"));
  EXPECT_TRUE(*events_.is_consumed("after"));
  ASSERT_TRUE(events_.add({"i", 2}, end_of("after")));
  ASSERT_TRUE(events_.add({"i", 3}, match_of("after")));
  ASSERT_TRUE(events_.add({"i", 4}, end_of("quiet", false)));
  ASSERT_TRUE(events_.add({"i", 5}, end_of("other")));
  const auto pending = events_.pending("c", 10).value();
  ASSERT_EQ(pending.size(), 2u);
  EXPECT_EQ(pending[0].type, EventType::watch_match);
  EXPECT_EQ(pending[1].process, "other");
  EXPECT_EQ(events_.after(0, 10)->size(), 5u);
}

TEST_F(StoreTest, AProcessWhoseEndWasReadRunsNoMore) {
  ASSERT_TRUE(processes_.add({.id = "p", .environment = "e"}));
  ASSERT_EQ(processes_.running_at("e")->size(), 1u);
  ASSERT_TRUE(events_.mark_consumed("p"));
  EXPECT_TRUE(processes_.running_at("e")->empty());
  EXPECT_TRUE(processes_.find("p").value()->ended);
}

TEST_F(StoreTest, ReadersOfOutputHaveMarks) {
  EXPECT_EQ(*processes_.mark("p", "agent"), std::nullopt);
  ASSERT_TRUE(processes_.set_mark("p", "agent", 100));
  ASSERT_TRUE(processes_.set_mark("p", "agent", 50));
  ASSERT_TRUE(processes_.set_mark("p", "other", 0));
  EXPECT_EQ(*processes_.mark("p", "agent"), 50u);
  EXPECT_EQ(*processes_.mark("p", "other"), 0u);
}

TEST_F(StoreTest, ProcessesAreFoundByTheirIdAndTheirEnvironment) {
  const auto started = system_clock::time_point(std::chrono::milliseconds(5));
  const std::string long_command(10'000, 'x');
  ASSERT_TRUE(processes_.add({"p", "t", "box", "e", "i", "k", long_command, started}));
  ASSERT_TRUE(processes_.add({.id = "q", .environment = "e"}));
  ASSERT_TRUE(processes_.add({.id = "r", .environment = "f"}));
  const auto found = processes_.find("p").value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->task, "t");
  EXPECT_EQ(found->target, "box");
  EXPECT_EQ(found->environment, "e");
  EXPECT_EQ(found->instance, "i");
  EXPECT_EQ(found->session_key, "k");
  EXPECT_EQ(found->command, long_command.substr(0, kMaxStoredCommandBytes));
  EXPECT_EQ(found->started, started);
  EXPECT_FALSE(found->ended);
  EXPECT_EQ(*processes_.find("nobody"), std::nullopt);
  ASSERT_TRUE(processes_.end("p"));
  const auto running = processes_.running_at("e").value();
  ASSERT_EQ(running.size(), 1u);
  EXPECT_EQ(running[0].id, "q");
}

// A command that ends at once may be heard to end before it is known to have started.
TEST_F(StoreTest, AnEndThatComesFirstCounts) {
  ASSERT_TRUE(events_.add({"i", 1}, end_of("p")));
  ASSERT_TRUE(processes_.add({.id = "p", .environment = "e"}));
  EXPECT_TRUE((*processes_.find("p"))->ended);
  EXPECT_TRUE(processes_.running_at("e")->empty());
}

TEST_F(StoreTest, AnotherProgramsChangeIsSeen) {
  const auto change_number = [this] { return (*database_->get())->change_number().value(); };
  const std::uint64_t before = change_number();
  ASSERT_TRUE(events_.mark_consumed("p"));
  EXPECT_EQ(change_number(), before);
  ASSERT_TRUE(open_events().mark_consumed("q"));
  EXPECT_NE(change_number(), before);
}

TEST_F(StoreTest, OldThingsAreForgottenAndNumbersAreNot) {
  ASSERT_TRUE(events_.add({"i", 7}, end_of("p")));
  ASSERT_TRUE(processes_.add({.id = "p", .environment = "e"}));
  ASSERT_TRUE(processes_.add({.id = "live", .environment = "e"}));
  ASSERT_TRUE(events_.mark_consumed("p"));
  ASSERT_TRUE(processes_.set_mark("p", "agent", 1));
  ASSERT_TRUE(processes_.set_mark("live", "agent", 2));
  ASSERT_TRUE(events_.move_cursor("c", 1));

  ASSERT_TRUE(database_->prune(system_clock::now() + days(8)));
  EXPECT_EQ(*processes_.find("p"), std::nullopt);
  EXPECT_EQ(*processes_.mark("p", "agent"), std::nullopt);
  EXPECT_TRUE(*events_.is_consumed("p")) << "its end is still there to be announced";
  EXPECT_EQ(events_.after(0, 10)->size(), 1u);

  ASSERT_TRUE(database_->prune(system_clock::now() + days(31)));
  EXPECT_TRUE(events_.after(0, 10)->empty());
  EXPECT_FALSE(*events_.is_consumed("p"));
  EXPECT_EQ(*events_.cursor("c"), 0u);
  EXPECT_EQ(*events_.last_number("i"), 7u);
  EXPECT_EQ(*processes_.mark("live", "agent"), 2u);
  EXPECT_EQ(processes_.running_at("e")->size(), 1u);

  ASSERT_TRUE(events_.add({"i", 8}, end_of("q")));
  EXPECT_EQ(events_.after(0, 10)->at(0).id, 2u) << "an id is never used again";
}

TEST_F(StoreTest, ItHoldsSoManyEventsAndNoMore) {
  std::vector<environment::NumberedEvent> batch;
  for (std::uint64_t i = 1; i <= kMaxStoredEvents + 1000; ++i) batch.push_back({i, match_of("p")});
  ASSERT_EQ(*events_.add_all("i", batch), batch.size());
  const auto events = events_.after(0, 2 * kMaxStoredEvents).value();
  EXPECT_EQ(events.size(), kMaxStoredEvents);
  EXPECT_EQ(events.back().id, batch.size());
}

TEST_F(StoreTest, AFileThatWasRemovedIsMadeAgain) {
  ASSERT_TRUE(events_.add({"i", 1}, end_of("p")));
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file() + end);
  EXPECT_TRUE(*events_.add({"i", 2}, end_of("q")));
  EXPECT_THAT(processes_of(open_events().after(0, 10)), ElementsAre("q"));
}

TEST_F(StoreTest, ADamagedFileIsNamedAndLeftAlone) {
  std::filesystem::create_directories(home_ + "/talaria");
  std::filesystem::permissions(home_ + "/talaria", std::filesystem::perms::owner_all);
  const std::string nonsense(8192, 'x');
  std::ofstream(file()) << nonsense;
  const auto opened = database_->get();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message(), HasSubstr(file()));
  EXPECT_THAT(opened.error().message(), HasSubstr("damaged. Move it away"));
  std::ifstream kept(file());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), nonsense);
}

TEST_F(StoreTest, DamageInsideIsReportedByTheQueryThatFindsIt) {
  {
    EventStore writer = open_events();
    for (std::uint64_t i = 1; i <= 200; ++i) ASSERT_TRUE(writer.add({"i", i}, match_of("p")));
  }
  std::fstream bytes(file(), std::ios::in | std::ios::out | std::ios::binary);
  const auto size = std::filesystem::file_size(file());
  for (std::uintmax_t at = 4096; at + 2048 < size; at += 4096) {
    bytes.seekp(static_cast<std::streamoff>(at));
    bytes << std::string(2048, '\xa5');
  }
  bytes.close();
  const auto found = events_.after(0, 1000);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message(), HasSubstr("Move it away"));
}

// Before version 5 a grant was for a rule at a target.
TEST_F(StoreTest, GrantsOfAnEarlierVersionAreKeptAndUnconfirmed) {
  ASSERT_TRUE(open()->get());
  ASSERT_TRUE(Database::open(file())->run_script(R"sql(
      DROP TABLE grants;
      CREATE TABLE grants (
        session_key TEXT NOT NULL, target TEXT NOT NULL, rule TEXT NOT NULL,
        granted INTEGER NOT NULL, until INTEGER,
        PRIMARY KEY (session_key, target, rule)) WITHOUT ROWID;
      INSERT INTO grants VALUES ('', 'local', 'recursive delete', 1000, NULL);
      INSERT INTO grants VALUES ('s', 'ssh', 'who knows: sha256 00ff', 2000, 99999999999999);
      ALTER TABLE approvals DROP COLUMN covers;
      ALTER TABLE approvals DROP COLUMN lasts;
      ALTER TABLE approvals DROP COLUMN offers;
      ALTER TABLE approvals DROP COLUMN notices;
      ALTER TABLE approvals DROP COLUMN asker_boot;
      ALTER TABLE approvals DROP COLUMN asker_start;
      ALTER TABLE approvals DROP COLUMN digest;
      ALTER TABLE approvals DROP COLUMN details;
      ALTER TABLE approvals DROP COLUMN words;
      ALTER TABLE execs DROP COLUMN changes_session;
      ALTER TABLE execs DROP COLUMN texts_apart;
      DROP TABLE calls;
      DROP TABLE sessions;
      PRAGMA user_version = 4;)sql"));
  GrantStore grants(open());
  const auto all = grants.list();
  ASSERT_TRUE(all) << all.error().message();
  ASSERT_EQ(all->size(), 2u);
  const StoredGrant& rule = all->at(0);
  EXPECT_TRUE(rule.id.starts_with("grant_")) << rule.id;
  EXPECT_EQ(rule.rule, "recursive delete");
  EXPECT_FALSE(rule.session_key || rule.task || rule.directory || rule.digest || rule.until);
  EXPECT_FALSE(rule.confirmed);
  const StoredGrant& command = all->at(1);
  EXPECT_EQ(command.rule, "who knows");
  EXPECT_EQ(command.digest, "00ff");
  EXPECT_EQ(command.session_key, "s");
  EXPECT_TRUE(command.until);
  EXPECT_FALSE(command.confirmed);
}

TEST_F(StoreTest, AFileOfANewerVersionIsRefused) {
  ASSERT_TRUE(open()->get());
  ASSERT_TRUE(Database::open(file())->run_script("PRAGMA user_version = 1000"));
  const auto opened = database_->get();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message(), HasSubstr("newer version of Talaria"));
  EXPECT_THAT(opened.error().message(), HasSubstr("TALARIA_HOME"));
}

TEST_F(StoreTest, SharedFilesystemsGetAJournalThatWorksThere) {
  EXPECT_EQ(journal_on(0xef53), JournalMode::write_ahead);      // ext4
  EXPECT_EQ(journal_on(0x01021994), JournalMode::write_ahead);  // tmpfs
  EXPECT_EQ(journal_on(0x794c7630), JournalMode::write_ahead);  // overlay
  EXPECT_EQ(journal_on(0x6969), JournalMode::rollback);         // nfs
  EXPECT_EQ(journal_on(0xff534d42), JournalMode::rollback);     // cifs
  EXPECT_EQ(journal_on(0x65735546), JournalMode::rollback);     // fuse
  EXPECT_EQ(journal_on(0x01021997), JournalMode::rollback);     // 9p
}

// The limit of the process stands for a full disk: a write fails half-way.
TEST_F(StoreTest, AFullDiskIsSaidAndOverWhenThereIsRoom) {
  ASSERT_TRUE(events_.add({"i", 1}, end_of("first")));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 300'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::uint64_t number = 1;
  Result<bool> added = true;
  ProcessEvent event = match_of("p");
  event.output.assign(1000, 'o');
  while (added && number < 10'000) added = events_.add({"i", ++number}, event);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_action);

  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message(), HasSubstr(file()));
  EXPECT_THAT(added.error().message(), HasSubstr("its disk has free space"));
  EXPECT_EQ(events_.after(0, 20'000)->size(), number - 1) << "all that was said to be there";
  EXPECT_TRUE(*events_.add({"i", number}, event));
  EXPECT_EQ(*open_events().last_number("i"), number);
}

TEST_F(StoreTest, SessionsAreKnownByEnvironmentUntilTheyAreRemoved) {
  SessionStore sessions(database_);
  EXPECT_FALSE(*sessions.contains("docker/default", "a"));
  EXPECT_FALSE(std::filesystem::exists(file())) << "looking creates nothing";
  for (const char* session : {"a", "a", "b"}) {
    ASSERT_TRUE(sessions.add("docker/default", session));
  }
  ASSERT_TRUE(sessions.add("docker/other", "a"));
  EXPECT_TRUE(*SessionStore(open()).contains("docker/default", "a"));
  EXPECT_EQ(*database_->first_count("SELECT count(*) FROM sessions"), 3u);
  ASSERT_TRUE(sessions.remove("docker/default", "a"));
  EXPECT_FALSE(*sessions.contains("docker/default", "a"));
  EXPECT_TRUE(*sessions.contains("docker/other", "a"));
  ASSERT_TRUE(sessions.clear("docker/default"));
  EXPECT_FALSE(*sessions.contains("docker/default", "b"));
  ASSERT_TRUE(database_->prune(system_clock::now() + days(366)));
  EXPECT_FALSE(*sessions.contains("docker/other", "a"));
}

}  // namespace
}  // namespace talaria::host
