// What a call on an event loop does while another program holds the store.
#include "host/store/store_turns.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/run_all.h"
#include "host/process_ledger.h"
#include "testing/loop_gaps.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kHeld = std::chrono::milliseconds(600);

// Another program that writes to the database of `home`, and takes its time.
class Holder {
 public:
  explicit Holder(const std::string& home)
      : database_(open_home_database(home).value()),
        transaction_(Transaction::begin(database_).value()),
        thread_([this] {
          std::this_thread::sleep_for(kHeld);
          EXPECT_TRUE(transaction_.commit());
        }) {}
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() { thread_.join(); }

 private:
  Database database_;
  Transaction transaction_;
  std::thread thread_;
};

class StoreTurnsTest : public testing::Test {
 protected:
  StoreTurnsTest() { EXPECT_TRUE(ledger_.try_started({.id = "proc_0", .environment = "e"})); }

  Job start(const std::string& id) {
    return [this, id]() -> Task<void> {
      const auto written = co_await ledger_.started({.id = id, .environment = "e"});
      EXPECT_TRUE(written) << written.error().message();
    };
  }

  const test::TemporaryDirectory home_;
  ProcessLedger ledger_{home_.path()};
  asio::io_context loop_{1};
};

TEST_F(StoreTurnsTest, TheLoopServesOthersMeanwhile) {
  const auto begun = Clock::now();
  const Holder holder(home_.path());
  const test::LoopGaps gaps(loop_.get_executor());
  const auto written =
      test::run_to_end(loop_, ledger_.started({.id = "proc_a", .environment = "e"}));
  EXPECT_TRUE(written);
  EXPECT_GE(Clock::now() - begun, kHeld);
  EXPECT_LT(gaps.longest(), kHeld / 2);
  EXPECT_TRUE(ledger_.find("proc_a").value());
}

TEST_F(StoreTurnsTest, CallsThatWaitKeepTheirOrder) {
  const Holder holder(home_.path());
  const std::vector<Job> jobs{start("proc_1"), start("proc_2"), start("proc_3")};
  const auto all = [&]() -> Task<bool> {
    co_await run_all(jobs, jobs.size());
    co_return true;
  };
  test::run_to_end(loop_, all());
  const auto newest = ProcessStore(ledger_.database()).newest(3).value();
  std::vector<std::string> ids;
  for (const StoredProcess& one : newest) ids.push_back(one.id);
  EXPECT_THAT(ids, testing::ElementsAre("proc_3", "proc_2", "proc_1"));
}

TEST_F(StoreTurnsTest, ACallThatCannotWaitSaysWhy) {
  const Holder holder(home_.path());
  const auto begun = Clock::now();
  const auto written = ledger_.try_started({.id = "proc_a", .environment = "e"});
  EXPECT_TRUE(is_held(written));
  EXPECT_LT(Clock::now() - begun, kHeld / 2);
}

TEST_F(StoreTurnsTest, ReadingWaitsForNobody) {
  const Holder holder(home_.path());
  EXPECT_TRUE(ledger_.find("proc_0").value());
}

// An error that does not go away is reported at once.
TEST_F(StoreTurnsTest, AnotherErrorIsNotRepeated) {
  int calls = 0;
  const auto turns = std::make_shared<StoreTurns>();
  const auto failed = test::run_to_end(StoreTurns::take(
      turns,
      [&]() -> Result<void> {
        ++calls;
        return fail(ErrorKind::unavailable, "no home");
      },
      [](const asio::any_io_executor&) {}));
  EXPECT_FALSE(failed);
  EXPECT_EQ(calls, 1);
}

// The call that made the log long copied it into the database, and the loop waited for the disk.
TEST_F(StoreTurnsTest, TheLogIsCopiedBesideTheLoop) {
  HomeDatabase database(home_.path(), StoreWait::on_loop);
  ASSERT_TRUE(database.run("CREATE TABLE filling (text TEXT)"));
  const auto size = [&] { return std::filesystem::file_size(home_database_path(home_.path())); };
  const auto before = size();
  const std::string text(std::size_t{2 * kLogPages} << 12, 'x');
  const auto fill = [&] { return database.run("INSERT INTO filling VALUES (?)", text); };
  ASSERT_TRUE(fill());
  EXPECT_EQ(size(), before);
  spawn(loop_.get_executor(), [](HomeDatabase& filled, auto once_more) -> Task<void> {
    EXPECT_TRUE(co_await filled.patiently(once_more));
  }(database, fill));
  loop_.run();
  EXPECT_GT(size(), before + 2 * text.size());
  // It begins anew, and what was in it is there.
  ASSERT_TRUE(database.run("INSERT INTO filling VALUES ('end')"));
  EXPECT_EQ(database.first_count("SELECT COUNT(*) FROM filling"), 3u);
}

}  // namespace
}  // namespace talaria::host
