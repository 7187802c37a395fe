#include "link/handshake.h"

#include <string>

#include <gtest/gtest.h>

#include "testing/link/hex.h"

namespace talaria::link {
namespace {

ClientHello full_client_hello() {
  ClientHello hello{.major = 2,
                    .minor = 3,
                    .connection = 4,
                    .expected_instance = "abc",
                    .resuming = true,
                    .batch_ms = 5000,
                    .software = "0.1.0",
                    .limits = {2 * kMiB, 3 * kMiB, 100}};
  for (std::size_t i = 0; i < kLinkIdBytes; ++i) hello.link.bytes[i] = static_cast<char>(i);
  return hello;
}

TEST(Handshake, HellosComeBackAsTheyWere) {
  const ClientHello client = full_client_hello();
  EXPECT_EQ(decode_client_hello(encode_hello(client)).value(), client);

  const RunnerHello runner{.major = 2,
                           .minor = 3,
                           .instance = "abc",
                           .software = "0.1.0",
                           .pid = 77,
                           .boot_id = "boot",
                           .features = {"one", "two"},
                           .limits = {2 * kMiB, 3 * kMiB, 100},
                           .refused = true,
                           .known_link = true};
  EXPECT_EQ(decode_runner_hello(encode_hello(runner)).value(), runner);
}

// Also in docs/reference/link.md.
TEST(Handshake, GoldenBytes) {
  ClientHello client{.software = "t"};
  client.link.bytes.fill('L');
  EXPECT_EQ(to_hex(encode_hello(client)),
            to_hex(from_hex("0801 1a10 4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c4c 2001 4201 74"
                            "4a0d 0880808010 1080808020 188008")));
  const RunnerHello runner{.instance = "i1", .software = "t", .pid = 7, .known_link = true};
  EXPECT_EQ(to_hex(encode_hello(runner)),
            to_hex(from_hex("0801 1a02 6931 2201 74 2807"
                            "420d 0880808010 1080808020 188008 4801")));
  EXPECT_EQ(to_hex(encode_go_away({CloseReason::instance, "no"})), "080312026e6f");
}

TEST(Handshake, MalformedHellosAreRefusedInWords) {
  const struct {
    const char* name;
    std::string payload;
    const char* expected;
  } cases[] = {
      {"empty", "", "ClientHello.link: 16 bytes are required"},
      {"short id", from_hex("1a020102 2001"), "ClientHello.link: 16 bytes are required"},
      {"no connection number", from_hex("1a10 00000000000000000000000000000000"),
       "ClientHello.connection: counts from 1"},
      {"no protobuf", "GET / HTTP/1.1", "ClientHello: unknown pbf field type exception"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Result<ClientHello> hello = decode_client_hello(c.payload);
    EXPECT_EQ(hello ? "" : hello.error().message(), c.expected);
  }
  EXPECT_FALSE(decode_runner_hello(""));
}

TEST(Handshake, AbsentOrTinyLimitsAreTheLeastEveryoneAccepts) {
  ClientHello hello = full_client_hello();
  hello.limits = {1, 1, 1};
  EXPECT_EQ(decode_client_hello(encode_hello(hello))->limits, kLeastLimits);
  EXPECT_EQ(decode_runner_hello(from_hex("1a0131"))->limits, kLeastLimits);
}

TEST(Handshake, ReassemblyHoldsAtLeastOneMessage) {
  ClientHello hello = full_client_hello();
  hello.limits = {8 * kMiB, 2 * kMiB, 100};
  EXPECT_EQ(decode_client_hello(encode_hello(hello))->limits.max_reassembly, 8 * kMiB);
}

TEST(Handshake, AReasonFromTheFutureIsKept) {
  EXPECT_EQ(decode_go_away(from_hex("0863"))->reason, CloseReason{99});
}

}  // namespace
}  // namespace talaria::link
