// A runner that is spoken to by something else than our own controller: what is out of bounds is
// refused in words, and nothing is done.
#include "link/driver.h"
#include "os/file.h"
#include "os/random.h"
#include "os/unix_socket.h"
#include "support/talaria_test.h"
#include "testing/run_to_end.h"

namespace talaria {
namespace {

class WireTest : public TalariaTest {
 protected:
  // What a message is answered with: "" or the kind of its failure.
  template <class Message>
  std::string answer_to(Message message) {
    asio::io_context loop(1);
    const std::string socket = world_.runner_directory() + "/link-v1.sock";
    LinkDriver::Connect connect = [&loop, socket] { return open(loop, socket); };
    const auto driver = std::make_shared<LinkDriver>(
        loop.get_executor(), std::move(connect),
        LinkDriverOptions{.client = {.new_link_id = [] {
                            LinkId id;
                            fill_random(std::as_writable_bytes(std::span(id.bytes)));
                            return id;
                          }}});
    const auto answer = run_to_end(loop, driver->call(std::move(message)));
    driver->disconnect();
    return answer ? "" : std::string(kind_name(answer.error().kind()));
  }

  static Task<Result<ByteStream>> open(asio::io_context& loop, std::string path) {
    auto socket = connect_to_socket(path);
    if (!socket) co_return fail(socket.error());
    auto second = duplicate(socket->get());
    if (!second) co_return fail(second.error());
    co_return ByteStream{.reader = {loop, socket->release()}, .writer = {loop, second->release()}};
  }
};

TEST_F(WireTest, GracesAndSignalsThatCannotBeAreRefusedAndKillNothing) {
  LinesClient agent(world_);
  const int id =
      agent.send({.command = "touch on; until [ -e ../go ]; do sleep 0.01; done; echo whole"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("work/on")); }));
  const Start other{.start_id = "other", .sequence = 1, .command = "sleep 300", .detached = true};
  EXPECT_EQ(answer_to(other), "");
  EXPECT_EQ(answer_to(Kill{.process = "other", .grace_ms = 1ull << 62}), "bad_request");
  EXPECT_EQ(answer_to(Kill{.process = "other", .grace_ms = (1ull << 32) + 1}), "bad_request");
  EXPECT_EQ(answer_to(Kill{.process = "other", .signal = 9999}), "bad_request");
  EXPECT_EQ(answer_to(Kill{.process = "nobody"}), "not_found");
  Start late = other;
  late.start_id = "late";
  late.grace_ms = 1ull << 33;
  EXPECT_EQ(answer_to(late), "bad_request");
  late.grace_ms = 0;
  late.timeout_ms = UINT64_MAX;
  EXPECT_EQ(answer_to(late), "bad_request");
  EXPECT_EQ(answer_to(Kill{.process = "other"}), "");
  agent.run("touch ../go");
  EXPECT_EQ(output_of(agent.result(id)), "whole");
}

}  // namespace
}  // namespace talaria
