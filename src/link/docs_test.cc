// docs/reference/link.md promises numbers and bytes to authors of a second implementation: here
// they are compared with the code.

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "link/envelope.h"
#include "link/frame.h"
#include "link/handshake.h"
#include "link/limits.h"
#include "testing/link/hex.h"

namespace talaria::link {
namespace {

std::string document() {
  std::ostringstream text;
  text << std::ifstream(TALARIA_LINK_DOCUMENT).rdbuf();
  return text.str();
}

TEST(LinkDocument, NamesEveryLimit) {
  const std::string text = document();
  const struct {
    const char* name;
    std::uint64_t value;
  } limits[] = {
      {"kMaxFrameData", kMaxFrameData},
      {"kMaxFramePayload", kMaxFramePayload},
      {"kMaxMessage", kMaxMessage},
      {"kMaxReassembly", kMaxReassembly},
      {"kMaxExchanges", kMaxExchanges},
      {"kLeastMessage", kLeastMessage},
      {"kLeastReassembly", kLeastReassembly},
      {"kLeastExchanges", kLeastExchanges},
      {"kMaxQueuedDataPerExchange", kMaxQueuedDataPerExchange},
      {"kMaxQueuedData", kMaxQueuedData},
      {"kMaxQueuedMessages", kMaxQueuedMessages},
      {"kOutputChunk", kOutputChunk},
      {"kDefaultWindow", kDefaultWindow},
      {"kMaxHeldRequests", kMaxHeldRequests},
      {"kMaxLinks", kMaxLinks},
      {"kMaxLedgerEntries", kMaxLedgerEntries},
      {"kMaxPreamble", kMaxPreamble},
      {"kMaxNonce", kMaxNonce},
      {"kMaxId", kMaxId},
      {"kMaxPath", kMaxPath},
      {"kMaxEnvEntry", kMaxEnvEntry},
      {"kMaxText", kMaxText},
      {"kMaxEntries", kMaxEntries},
  };
  for (const auto& limit : limits) {
    const std::string row =
        "| `" + std::string(limit.name) + "` | " + std::to_string(limit.value) + " |";
    EXPECT_NE(text.find(row), std::string::npos) << "missing: " << row;
  }
}

std::string message(FrameType type, ExchangeId exchange, const std::string& payload) {
  std::string bytes;
  append_frame(bytes, {type, kFlagLast, exchange, payload});
  return bytes;
}

std::string control(FrameType type, ExchangeId exchange, const std::string& payload) {
  std::string bytes;
  append_frame(bytes, {type, 0, exchange, payload});
  return bytes;
}

struct Vector {
  std::string name;
  std::string bytes;
};

std::vector<Vector> vectors() {
  ClientHello client{.software = "t"};
  client.link.bytes.fill('L');
  const RunnerHello runner{.instance = "i1", .software = "t", .pid = 7};
  const Start start{
      .start_id = "s1", .sequence = 7, .command = "true", .tail_limit = 300, .stream_output = true};
  const ExitReport report{.process = "p1", .code = 1, .total = 3, .duration_us = 1500};
  std::string data;
  append_data(data, 1, 0, "no\n");
  std::string errors;
  append_data(errors, 1, 3, "bad\n", true);
  std::string credit;
  append_credit(credit, 1, 3, 65539);
  std::string end;
  append_number(end, FrameType::end, 1, 3);
  std::string ping;
  append_number(ping, FrameType::ping, 0, 7);
  std::string pong;
  append_number(pong, FrameType::pong, 0, 7);
  const Error missing(ErrorKind::not_found, "no p9");
  return {
      {"client hello", control(FrameType::hello, 0, encode_hello(client))},
      {"runner hello", control(FrameType::hello, 0, encode_hello(runner))},
      {"request start",
       message(FrameType::request, 1, encode_request(Method::start, 65536, "i1", encode(start)))},
      {"note started", message(FrameType::note, 1, encode(Started{.process = "p1", .pid = 42}))},
      {"data", data},
      {"data of errors", errors},
      {"credit", credit},
      {"end", end},
      {"response exit", message(FrameType::response, 1, encode_response(encode(report)))},
      {"request wait", message(FrameType::request, 3,
                               encode_request(Method::wait, 0, "", encode(Wait{.process = "p9"})))},
      {"response failure", message(FrameType::response, 3, encode_response(fail(missing)))},
      {"cancel", control(FrameType::cancel, 5, "")},
      {"ping", ping},
      {"pong", pong},
      {"go away", control(FrameType::go_away, 0, encode_go_away({CloseReason::instance, "no"}))},
  };
}

TEST(LinkDocument, ShowsTheBytesOfEveryFrame) {
  const std::string text = document();
  for (const Vector& vector : vectors()) {
    const std::string label = "\n    " + vector.name + ": ";
    const std::size_t at = text.find(label);
    ASSERT_NE(at, std::string::npos) << label << to_hex(vector.bytes);
    const std::size_t begin = at + label.size();
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    EXPECT_EQ(to_hex(from_hex(line)), to_hex(vector.bytes)) << vector.name;
  }
}

}  // namespace
}  // namespace talaria::link
