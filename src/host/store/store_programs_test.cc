// A store and several programs: all of them write at once, and one is killed while it does.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "host/store/event_store.h"
#include "host/store/process_store.h"
#include "testing/temporary_directory.h"

namespace talaria::host {
namespace {

class StoreProgramsTest : public testing::Test {
 protected:
  // Another program: exits with 0 if `body` returns true.
  static pid_t start(const std::function<bool()>& body) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(body() ? 0 : 1);
    return pid;
  }
  static int status_of(pid_t pid) {
    int status = -1;
    ::waitpid(pid, &status, 0);
    return status;
  }

  const test::TemporaryDirectory directory_;
  const std::string home_ = directory_.path();
};

environment::NumberedEvent event(std::uint64_t number, const std::string& process) {
  return {number, {.type = EventType::watch_match, .process = process}};
}

bool complain(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message().c_str());
  return false;
}

// Opens the store as well: making the tables is done by one of them, and only once.
bool hammer(const std::string& home, int self, int rounds) {
  const auto database = std::make_shared<HomeDatabase>(home);
  EventStore events(database);
  ProcessStore processes(database);
  const std::string own = "instance" + std::to_string(self);
  for (int i = 1; i <= rounds; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    const std::string id = own + "." + std::to_string(i);
    const auto mine = events.add({own, number}, event(number, own).event);
    if (!mine) return complain(mine.error());
    const auto shared = events.add({"shared", number}, event(number, "shared").event);
    if (!shared) return complain(shared.error());
    const auto process = processes.add({.id = id, .environment = own});
    if (!process) return complain(process.error());
    const auto pending = events.pending(own, 5);
    if (!pending) return complain(pending.error());
    if (const auto moved = events.move_cursor(own, pending->back().id); !moved) {
      return complain(moved.error());
    }
  }
  return true;
}

TEST_F(StoreProgramsTest, FourProgramsHammerOneStore) {
  constexpr int kPrograms = 4;
  constexpr int kRounds = 400;
  std::vector<pid_t> programs;
  for (int i = 0; i < kPrograms; ++i) {
    programs.push_back(start([&, i] { return hammer(home_, i, kRounds); }));
  }
  for (const pid_t program : programs) EXPECT_EQ(status_of(program), 0);

  const auto database = std::make_shared<HomeDatabase>(home_);
  EventStore events(database);
  ProcessStore processes(database);
  EXPECT_EQ(events.after(0, 20'000)->size(), (kPrograms + 1u) * kRounds);
  for (int i = 0; i < kPrograms; ++i) {
    EXPECT_EQ(*events.last_number("instance" + std::to_string(i)), 0u + kRounds);
    EXPECT_EQ(processes.running_at("instance" + std::to_string(i))->size(), 0u + kRounds);
  }
  EXPECT_EQ(*events.last_number("shared"), 0u + kRounds);
}

// Adds batches of ten until it is killed, each with the numbers that follow what is there.
bool add_for_ever(const std::string& home) {
  EventStore events(std::make_shared<HomeDatabase>(home));
  for (;;) {
    const auto last = events.last_number("i");
    if (!last) return complain(last.error());
    std::vector<environment::NumberedEvent> batch;
    for (std::uint64_t i = 1; i <= 10; ++i) batch.push_back(event(*last + i, "p"));
    if (const auto added = events.add_all("i", batch); !added) return complain(added.error());
  }
}

TEST_F(StoreProgramsTest, KillingAWriterLeavesNothingHalf) {
  std::mt19937 random(7);
  std::uint64_t before = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t writer = start([&] { return add_for_ever(home_); });
    EventStore stored_events(std::make_shared<HomeDatabase>(home_));
    while (*stored_events.last_number("i") == before) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 10'000));
    ::kill(writer, SIGKILL);
    ASSERT_EQ(status_of(writer), SIGKILL);

    before = stored_events.last_number("i").value();
    const auto events = stored_events.after(0, 20'000).value();
    EXPECT_EQ(before % 10, 0u);
    EXPECT_EQ(events.back().id, before);
    if (events.front().id == 1) {
      EXPECT_EQ(events.size(), before);
    }
  }
  auto database = Database::open(home_ + "/talaria/talaria.db");
  ASSERT_TRUE(database);
  Query check(*database, "PRAGMA integrity_check");
  ASSERT_TRUE(*check.next());
  EXPECT_EQ(check.text(0), "ok");
}

// What a start of a process pays. The bound is far above what it takes, for machines under load.
TEST_F(StoreProgramsTest, AddingAProcessIsCheap) {
  ProcessStore processes(std::make_shared<HomeDatabase>(home_));
  constexpr int kRows = 2000;
  const auto start_time = std::chrono::steady_clock::now();
  for (int i = 0; i < kRows; ++i) {
    ASSERT_TRUE(processes.add({.id = "proc_" + std::to_string(i), .environment = "e"}));
  }
  const auto each = (std::chrono::steady_clock::now() - start_time) / kRows;
  RecordProperty("nanoseconds", static_cast<int>(each.count()));
  std::printf("one process row: %lld us\n", static_cast<long long>(each.count() / 1000));
  EXPECT_LT(each, std::chrono::milliseconds(1));
}

}  // namespace
}  // namespace talaria::host
