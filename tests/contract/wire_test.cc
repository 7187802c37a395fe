// A runner that is spoken to by something else than our own controller: what is out of bounds is
// refused in words, and nothing is done.
#include <fstream>

#include "link/driver.h"
#include "os/file.h"
#include "os/random.h"
#include "os/unix_socket.h"
#include "support/talaria_test.h"
#include "testing/run_to_end.h"

namespace talaria::test {
namespace {

class WireTest : public TalariaTest {
 protected:
  // What a message is answered with: "" or the kind of its failure.
  template <class Message>
  std::string answer_to(Message message) {
    const auto answer = ask(std::move(message));
    return answer ? "" : std::string(kind_name(answer.error().kind()));
  }

  template <class Message>
  Result<std::string> ask(Message message) {
    asio::io_context loop(1);
    const std::string socket = world_.runner_directory() + "/link-v1.sock";
    link::LinkDriver::Connect connect = [&loop, socket] { return open(loop, socket); };
    const auto driver = std::make_shared<link::LinkDriver>(
        loop.get_executor(), std::move(connect),
        link::LinkDriverOptions{.client = {.new_link_id = [] {
                                  link::LinkId id;
                                  os::fill_random(std::as_writable_bytes(std::span(id.bytes)));
                                  return id;
                                }}});
    const auto answer = run_to_end(loop, driver->call(std::move(message)));
    driver->disconnect();
    return answer;
  }

  static Task<Result<link::ByteStream>> open(asio::io_context& loop, std::string path) {
    auto socket = os::connect_to_socket(path);
    if (!socket) co_return fail(socket.error());
    auto second = os::duplicate(socket->get());
    if (!second) co_return fail(second.error());
    co_return link::ByteStream{.reader = {loop, socket->release()},
                               .writer = {loop, second->release()}};
  }
};

TEST_F(WireTest, GracesAndSignalsThatCannotBeAreRefusedAndKillNothing) {
  LinesClient agent(world_);
  const int id =
      agent.send({.command = "touch on; until [ -e ../go ]; do sleep 0.01; done; echo whole"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("work/on")); }));
  const link::Start other{
      .start_id = "other", .sequence = 1, .command = "sleep 300", .detached = true};
  EXPECT_EQ(answer_to(other), "");
  EXPECT_EQ(answer_to(link::Kill{.process = "other", .grace_ms = 1ull << 62}), "bad_request");
  EXPECT_EQ(answer_to(link::Kill{.process = "other", .grace_ms = (1ull << 32) + 1}), "bad_request");
  EXPECT_EQ(answer_to(link::Kill{.process = "other", .signal = 9999}), "bad_request");
  EXPECT_EQ(answer_to(link::Kill{.process = "nobody"}), "not_found");
  link::Start late = other;
  late.start_id = "late";
  late.grace_ms = 1ull << 33;
  EXPECT_EQ(answer_to(late), "bad_request");
  late.grace_ms = 0;
  late.timeout_ms = UINT64_MAX;
  EXPECT_EQ(answer_to(late), "bad_request");
  EXPECT_EQ(answer_to(link::Kill{.process = "other"}), "");
  agent.run("touch ../go");
  EXPECT_EQ(output_of(agent.result(id)), "whole");
}

class LoginOnTheWire : public WireTest {
 protected:
  void SetUp() override {
    EXPECT_EQ(world_.exec("true").code(), 0);  // there is a runner
    std::ofstream(world_.directory("user") + "/.bashrc")
        << "export A=1; echo x >> ~/count; . ~/slow\n";
    std::ofstream(world_.path("user/slow")) << "export B=1; sleep 300\n";
  }

  link::Login login() const {
    return {.env = {"HOME=" + world_.path("user"), "PATH=/usr/bin:/bin"}, .bashrc = true};
  }
};

TEST_F(LoginOnTheWire, FilesThatHangAreStoppedAndSaidOnce) {
  link::Login hangs = login();
  hangs.timeout_ms = 300;
  const auto first = link::decode<link::LoginReport>(*ask(hangs));
  ASSERT_TRUE(first);
  ASSERT_EQ(first->notices.size(), 1u);
  EXPECT_NE(first->notices[0].find("were stopped in " + world_.path("user/slow")),
            std::string::npos)
      << first->notices[0];
  const auto second = link::decode<link::LoginReport>(*ask(hangs));
  EXPECT_TRUE(second->known);
  EXPECT_EQ(second->id, first->id);
  EXPECT_EQ(world_.read("user/count"), "x\n");

  const link::Start start{.start_id = "after",
                          .sequence = 1,
                          .session = "s",
                          .command = "echo $A$B",
                          .head_limit = 100,
                          .first_cwd = "/",
                          .login = first->id};
  EXPECT_EQ(link::decode<link::ExitReport>(*ask(start))->head, "11\n");
}

TEST_F(LoginOnTheWire, AStartWithALoginNobodyKnowsHasNotRun) {
  const link::Start start{.start_id = "after",
                          .sequence = 1,
                          .session = "s",
                          .command = "touch " + world_.path("ran"),
                          .login = "nobody"};
  EXPECT_EQ(answer_to(start), "unavailable");
  EXPECT_FALSE(std::filesystem::exists(world_.path("ran")));
}

TEST_F(LoginOnTheWire, WhatCannotBeAskedForIsRefused) {
  link::Login asked = login();
  asked.timeout_ms = UINT64_MAX;
  EXPECT_EQ(answer_to(asked), "bad_request");
  asked = login();
  asked.files = {std::string("a\0b", 3)};
  EXPECT_EQ(answer_to(asked), "bad_request");
  EXPECT_EQ(world_.read("user/count"), "");
}

}  // namespace
}  // namespace talaria::test
