#include "api/output_relay.h"

#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/limits.h"
#include "testing/run_to_end.h"

namespace talaria {
namespace {

Task<bool> ends(Task<void> task) {
  co_await std::move(task);
  co_return true;
}

class OutputRelayTest : public testing::Test {
 protected:
  std::shared_ptr<OutputRelay> relay(OutputRelay::Sink sink) {
    return std::make_shared<OutputRelay>(
        loop_.get_executor(), std::move(sink),
        [this](std::function<void()> work) { work_.push_back(std::move(work)); });
  }
  // What the other thread does.
  void pass_on() {
    const auto work = std::exchange(work_, {});
    for (const auto& one : work) one();
    loop_.restart();
    loop_.poll();
  }

  asio::io_context loop_{1};
  std::deque<std::function<void()>> work_;
};

TEST_F(OutputRelayTest, HoldsItsSourceWhileMuchWaits) {
  std::string got;
  const auto it = relay([&](std::uint64_t tag, std::string_view bytes) {
    got += std::to_string(tag) + std::string(bytes.substr(0, 1));
  });
  it->add(0, "a");
  EXPECT_FALSE(it->flow()->held());
  it->add(1, std::string(kMaxRelayedBytes, 'b'));
  EXPECT_TRUE(it->flow()->held());
  EXPECT_EQ(work_.size(), 1u) << "one thread at a time";
  bool released = false;
  it->flow()->on_release([&] { released = true; });
  pass_on();
  EXPECT_EQ(got, "0a1b");
  EXPECT_TRUE(released);
  EXPECT_FALSE(it->flow()->held());
  EXPECT_TRUE(test::run_to_end(loop_, ends(it->drained())));
}

TEST_F(OutputRelayTest, AnExceptionEndsIt) {
  int calls = 0;
  const auto it = relay([&](std::uint64_t, std::string_view) {
    ++calls;
    throw std::runtime_error("enough");
  });
  it->add(0, "a");
  it->add(0, "b");
  pass_on();
  it->add(0, "c");
  EXPECT_TRUE(work_.empty());
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(it->cancel().cancelled());
  ASSERT_TRUE(it->error());
  EXPECT_THAT(it->error()->message(), testing::HasSubstr("on_output threw: enough"));
}

}  // namespace
}  // namespace talaria
