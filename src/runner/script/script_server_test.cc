#include "runner/script/script_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include <gtest/gtest.h>

#include "os/channel.h"
#include "os/unix_socket.h"
#include "testing/temporary_directory.h"

namespace talaria::runner {
namespace {

class ScriptServerTest : public testing::Test {
 protected:
  ScriptServerTest() {
    server_ = ScriptServer::open(loop_, {.directory = root_.path("s"), .socket = root_.path("rpc")},
                                 link::Script{.source = "", .module = "", .error_limit = 10})
                  .value();
    server_->serve_below(::getppid());  // we play the script
    server_->nobody_takes();
  }
  ~ScriptServerTest() override {
    server_->end();
    settle();
  }

  os::UniqueFd connect() { return os::connect_to_socket(root_.path("rpc")).value(); }

  // Until nothing is left to be done. False: there always is.
  bool settle() {
    constexpr int kMostSteps = 20'000;
    for (int step = 0; step < kMostSteps; ++step) {
      if (loop_.poll_one() == 0) return true;
    }
    return false;
  }

  // All of it, or what there is room for.
  static std::size_t send(const os::UniqueFd& client, std::string_view bytes) {
    const ssize_t sent = ::send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return sent < 0 ? 0 : static_cast<std::size_t>(sent);
  }

  // What the client has got; "(end)" behind it: and the connection was closed.
  static std::string received(const os::UniqueFd& client) {
    std::string text;
    std::array<char, 4096> piece;
    for (;;) {
      const ssize_t size = ::recv(client.get(), piece.data(), piece.size(), MSG_DONTWAIT);
      if (size < 0) return text;
      if (size == 0) return text + "(end)";
      text.append(piece.data(), static_cast<std::size_t>(size));
    }
  }

  std::string records() const { return server_->calls().read(0, 1u << 20).bytes; }

  test::TemporaryDirectory root_;
  asio::io_context loop_{1};
  std::shared_ptr<ScriptServer> server_;
};

// Two that waited for room woke each other up, for ever.
TEST_F(ScriptServerTest, ConnectionsThatWaitForRoomCostNothing) {
  const std::array clients{connect(), connect(), connect()};
  const std::string piece(64u << 10, 'x');
  for (bool some_sent = true; some_sent;) {
    some_sent = false;
    for (const os::UniqueFd& client : clients) some_sent |= send(client, piece) > 0;
    ASSERT_TRUE(settle()) << server_->calls().total();
  }
  const std::uint64_t before = server_->calls().total();
  EXPECT_GT(before, 3u << 20);
  EXPECT_TRUE(settle());
  server_->reader_at(before);  // which lets them go on
  EXPECT_TRUE(settle());
  EXPECT_GT(server_->calls().total(), before);
}

TEST_F(ScriptServerTest, WhoSendsNothingMoreStillGetsItsAnswerAndThenTheEnd) {
  const os::UniqueFd client = connect();
  send(client, "ask\n");
  ::shutdown(client.get(), SHUT_WR);
  ASSERT_TRUE(settle());
  EXPECT_EQ(records(), link::encode_record({1, "ask\n"}) + link::encode_record({1, ""}));
  server_->answer({.connection = 1, .number = 1, .data = "answer\n", .last = true});
  server_->answer({.connection = 1, .number = 2, .last = true, .close = true});
  ASSERT_TRUE(settle());
  EXPECT_EQ(received(client), "answer\n(end)");
}

// A script used the socket of another session, and so its tools.
TEST_F(ScriptServerTest, AProcessThatIsNotOfTheScriptIsNotServed) {
  for (const pid_t reaper : {pid_t{0}, ::getpid()}) {  // not started yet; another command's
    server_->serve_below(reaper);
    const os::UniqueFd stranger = connect();
    send(stranger, "ask\n");
    ASSERT_TRUE(settle());
    EXPECT_EQ(records(), "");
    std::array<char, 16> piece;
    EXPECT_LE(::recv(stranger.get(), piece.data(), piece.size(), MSG_DONTWAIT), 0);
  }
}

// Each call went through the runner and back.
TEST_F(ScriptServerTest, AControllerThatSaysTheKeyGetsTheConnectionsItself) {
  server_->serve_below(0);
  const os::UniqueFd stranger = connect();
  send(stranger, std::string(server_->taker_key().size(), '0'));
  os::UniqueFd controller = connect();
  send(controller, server_->taker_key());
  ASSERT_TRUE(settle());
  EXPECT_EQ(received(stranger), "(end)");

  server_->serve_below(::getppid());
  const os::UniqueFd client = connect();
  ASSERT_TRUE(settle());
  std::array<std::byte, link::kTakenNumber> number;
  auto taken = os::receive_message(controller.get(), number);
  ASSERT_TRUE(taken && *taken);
  ASSERT_EQ((*taken)->fds.size(), 1u);
  send(client, "ask\n");
  ASSERT_TRUE(settle());
  EXPECT_EQ(received((*taken)->fds[0]), "ask\n");
  EXPECT_EQ(records(), "");
  send((*taken)->fds[0], "answer\n");
  EXPECT_EQ(received(client), "answer\n");

  (*taken)->fds.clear();  // the controller is killed
  controller.reset();
  ASSERT_TRUE(settle());
  EXPECT_EQ(received(client), "") << "it stays open until the script ends";
  const os::UniqueFd later = connect();
  send(later, "later\n");
  ASSERT_TRUE(settle());
  EXPECT_EQ(records(), link::encode_record({2, "later\n"}));
  server_->end();
  EXPECT_EQ(received(client), "(end)");
}

TEST_F(ScriptServerTest, WhoIsGoneIsForgotten) {
  for (int i = 0; i < 600; ++i) {  // more than can be there at once
    const os::UniqueFd client = connect();
    ASSERT_TRUE(settle());
  }
  const os::UniqueFd last = connect();
  send(last, "here");
  ASSERT_TRUE(settle());
  EXPECT_TRUE(records().ends_with("here"));
}

TEST_F(ScriptServerTest, AnAnswerIsGivenOnceAndInOnePiece) {
  const os::UniqueFd client = connect();
  ASSERT_TRUE(settle());
  const link::ScriptAnswer first{.connection = 1, .number = 1, .data = "one "};
  const link::ScriptAnswer rest{
      .connection = 1, .number = 1, .from = 4, .data = "whole\n", .last = true};
  const link::ScriptAnswer other{.connection = 1, .number = 2, .data = "other\n", .last = true};
  for (const link::ScriptAnswer& part : {first, first, other, rest, other, rest, first}) {
    server_->answer(part);
  }
  ASSERT_TRUE(settle());
  EXPECT_EQ(received(client), "other\none whole\n");
}

// In place of an answer that does not come: the beginning of it is not given.
TEST_F(ScriptServerTest, AConnectionIsClosedWithoutWhatIsUnfinished) {
  const os::UniqueFd client = connect();
  ASSERT_TRUE(settle());
  server_->answer({.connection = 1, .number = 1, .data = "half of"});
  server_->answer({.connection = 1, .number = 1, .last = true, .close = true});
  ASSERT_TRUE(settle());
  EXPECT_EQ(received(client), "(end)");
}

TEST_F(ScriptServerTest, F4WhatCannotBePutThereIsSaidAndLeavesNothing) {
  const std::string inside = root_.path("rpc") + "/s";  // a socket is there
  const auto server =
      ScriptServer::open(loop_, {.directory = inside, .socket = root_.path("other")},
                         link::Script{.source = "print(1)"});
  ASSERT_FALSE(server);
  EXPECT_TRUE(server.error().message().starts_with("the script cannot be put there: "));
  EXPECT_TRUE(server.error().message().contains(inside)) << server.error().message();
  EXPECT_NE(::access(root_.path("other").c_str(), F_OK), 0);
}

}  // namespace
}  // namespace talaria::runner
