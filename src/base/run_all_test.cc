#include "base/run_all.h"

#include <algorithm>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/gate.h"
#include "testing/run_to_end.h"

namespace talaria {
namespace {

// What was done, in which order, and how many of them at the same time at most.
struct Record {
  std::string order;
  int now = 0;
  int most = 0;
};

Task<void> pass_by(Record& record, char name) {
  record.order += name;
  record.most = std::max(record.most, ++record.now);
  asio::steady_timer pause(co_await asio::this_coro::executor, std::chrono::milliseconds(1));
  co_await pause.async_wait(as_values);
  --record.now;
}

Task<bool> do_all(std::vector<Job> jobs, std::size_t most) {
  co_await run_all(std::move(jobs), most);
  co_return true;
}

TEST(RunAll, DoesAllOfThemSomeAtATime) {
  for (const std::size_t most : {1u, 3u, 100u}) {
    Record record;
    std::vector<Job> jobs;
    for (const char name : std::string("abcdefgh")) {
      jobs.emplace_back([&record, name] { return pass_by(record, name); });
    }
    EXPECT_TRUE(test::run_to_end(do_all(std::move(jobs), most)));
    EXPECT_EQ(record.order, "abcdefgh");
    EXPECT_EQ(record.most, std::min<int>(static_cast<int>(most), 8));
    EXPECT_EQ(record.now, 0);
  }
}

TEST(RunAll, NothingToDoIsDone) { EXPECT_TRUE(test::run_to_end(do_all({}, 4))); }

Task<void> pass_gate(std::shared_ptr<Gate> gate, Record& record, char name) {
  const Gate::Pass inside = co_await Gate::enter(std::move(gate));
  co_await pass_by(record, name);
}

TEST(Gate, LetsSoManyInAtOnceInTheirOrder) {
  const auto gate = std::make_shared<Gate>(2);
  for (int round = 0; round < 2; ++round) {  // all places are free again
    Record record;
    std::vector<Job> jobs;
    for (const char name : std::string("abcdefgh")) {
      jobs.emplace_back([&record, gate, name] { return pass_gate(gate, record, name); });
    }
    EXPECT_TRUE(test::run_to_end(do_all(std::move(jobs), 100)));
    EXPECT_EQ(record.order, "abcdefgh");
    EXPECT_EQ(record.most, 2);
  }
}

// The loop of those that waited has ended.
TEST(Gate, PassesByThoseWhoAreGone) {
  const auto gate = std::make_shared<Gate>(1);
  Record record;
  {
    asio::io_context loop(1);
    const Gate::Pass inside = test::run_to_end(loop, Gate::enter(gate));
    spawn(loop.get_executor(), pass_gate(gate, record, 'a'));
    loop.restart();
    loop.poll();
  }  // its place is given to it, and taken back
  EXPECT_EQ(record.order, "");
  EXPECT_TRUE(test::run_to_end(do_all({[&] { return pass_gate(gate, record, 'b'); }}, 1)));
  EXPECT_EQ(record.order, "b");
}

}  // namespace
}  // namespace talaria
