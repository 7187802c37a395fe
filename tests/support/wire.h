// Wire: a link of the test's own to the runner that serves a home, for what only the wire shows.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include "link/driver.h"
#include "os/file.h"
#include "os/random.h"
#include "os/unix_socket.h"
#include "testing/run_to_end.h"

namespace talaria::test {

class Wire {
 public:
  explicit Wire(const std::string& runner_directory)
      : driver_(std::make_shared<link::LinkDriver>(
            loop_.get_executor(),
            [this, path = runner_directory + "/link-v1.sock"] { return open(loop_, path); },
            link::LinkDriverOptions{.client = {.new_link_id = [] {
                                      link::LinkId id;
                                      os::fill_random(std::as_writable_bytes(std::span(id.bytes)));
                                      return id;
                                    }}})) {}
  ~Wire() { hang_up(); }

  void hang_up() {
    driver_->disconnect();
    loop_.restart();
    loop_.poll();
  }

  // The answer; what a test did not expect to fail is reported and empty.
  template <class Report, class Message>
  Report ask(Message message, link::LinkCall call = {}) {
    const auto answer = try_ask(std::move(message), std::move(call));
    EXPECT_TRUE(answer) << answer.error().message();
    auto report = link::decode<Report>(answer.value_or(std::string()));
    EXPECT_TRUE(report);
    return report.value_or(Report{});
  }

  template <class Message>
  Result<std::string> try_ask(Message message, link::LinkCall call = {}) {
    return run_to_end(loop_, driver_->call(std::move(message), std::move(call)));
  }

  // "" or the kind of the failure.
  template <class Message>
  std::string kind_of(Message message) {
    const auto answer = try_ask(std::move(message));
    return answer ? "" : std::string(kind_name(answer.error().kind()));
  }

  std::uint64_t next_sequence() { return driver_->next_start_sequence(); }
  link::LinkDriver& driver() { return *driver_; }
  asio::io_context& loop() { return loop_; }

  // Lets what is under way go on until `done`, a failure after a while.
  bool run_until(const std::function<bool()>& done,
                 std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    const auto give_up = std::chrono::steady_clock::now() + patience;
    loop_.restart();
    while (!done()) {
      if (std::chrono::steady_clock::now() >= give_up) return false;
      if (loop_.run_one_for(std::chrono::milliseconds(5)) == 0) loop_.restart();
    }
    return true;
  }

 private:
  static Task<Result<link::ByteStream>> open(asio::io_context& loop, std::string path) {
    auto socket = os::connect_to_socket(path);
    if (!socket) co_return fail(socket.error());
    auto second = os::duplicate(socket->get());
    if (!second) co_return fail(second.error());
    co_return link::ByteStream{.reader = {loop, socket->release()},
                               .writer = {loop, second->release()}};
  }

  asio::io_context loop_{1};
  std::shared_ptr<link::LinkDriver> driver_;
};

}  // namespace talaria::test
