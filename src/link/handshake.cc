#include "link/handshake.h"

#include <algorithm>

#include "link/codec.h"

namespace talaria::link {

namespace {

// A HELLO as it is on the wire: what is absent there is zero, and an id is bytes of any length.
struct WireLimits {
  LinkLimits limits{0, 0, 0};
};

struct WireClientHello {
  ClientHello hello{.major = 0, .minor = 0, .connection = 0};
  std::string link;
  std::optional<WireLimits> limits;
};

struct WireRunnerHello {
  RunnerHello hello{.major = 0, .minor = 0, .known_link = false};
  std::optional<WireLimits> limits;
};

LinkLimits sane(const std::optional<WireLimits>& said) {
  const LinkLimits limits = said ? said->limits : kLeastLimits;
  const std::uint64_t message = std::max(limits.max_message, kLeastMessage);
  return {.max_message = message,
          .max_reassembly = std::max(limits.max_reassembly, message),
          .max_exchanges = std::max(limits.max_exchanges, kLeastExchanges)};
}

}  // namespace

TALARIA_NAMED_FIELDS(WireLimits, "Limits") {
  field(1, "max_message", message.limits.max_message);
  field(2, "max_reassembly", message.limits.max_reassembly);
  field(3, "max_exchanges", message.limits.max_exchanges);
}

TALARIA_NAMED_FIELDS(WireClientHello, "ClientHello") {
  field(1, "major", message.hello.major);
  field(2, "minor", message.hello.minor);
  field(3, "link", message.link, kMaxId);
  field(4, "connection", message.hello.connection);
  field(5, "expected_instance", message.hello.expected_instance, kMaxId);
  field(6, "resuming", message.hello.resuming);
  field(7, "batch_ms", message.hello.batch_ms);
  field(8, "software", message.hello.software, kMaxId);
  field(9, "limits", message.limits);
}

TALARIA_NAMED_FIELDS(WireRunnerHello, "RunnerHello") {
  field(1, "major", message.hello.major);
  field(2, "minor", message.hello.minor);
  field(3, "instance", message.hello.instance, kMaxId);
  field(4, "software", message.hello.software, kMaxId);
  field(5, "pid", message.hello.pid);
  field(6, "boot_id", message.hello.boot_id, kMaxId);
  field(7, "features", message.hello.features, kMaxId);
  field(8, "limits", message.limits);
  field(9, "known_link", message.hello.known_link);
  field(10, "refused", message.hello.refused);
}

TALARIA_FIELDS(GoAway) {
  field(1, "reason", message.reason, CloseReason{UINT32_MAX});
  field(2, "message", message.message, kMaxFramePayload);
}

bool is_refusal(CloseReason reason) {
  return reason == CloseReason::version || reason == CloseReason::instance ||
         reason == CloseReason::unknown_link || reason == CloseReason::busy;
}

std::string encode_hello(const ClientHello& hello) {
  return encode(WireClientHello{hello,
                                std::string(hello.link.bytes.begin(), hello.link.bytes.end()),
                                WireLimits{hello.limits}});
}

std::string encode_hello(const RunnerHello& hello) {
  return encode(WireRunnerHello{hello, WireLimits{hello.limits}});
}

std::string encode_go_away(const GoAway& go_away) {
  return encode(GoAway{go_away.reason, go_away.message.substr(0, kMaxText)});
}

Result<ClientHello> decode_client_hello(std::string_view payload) {
  Result<WireClientHello> wire = decode<WireClientHello>(payload);
  if (!wire) return fail(wire.error());
  ClientHello hello = std::move(wire->hello);
  if (wire->link.size() != kLinkIdBytes) {
    return fail(ErrorKind::bad_request, "ClientHello.link: 16 bytes are required");
  }
  std::ranges::copy(wire->link, hello.link.bytes.begin());
  if (hello.connection == 0) {
    return fail(ErrorKind::bad_request, "ClientHello.connection: counts from 1");
  }
  hello.limits = sane(wire->limits);
  return hello;
}

Result<RunnerHello> decode_runner_hello(std::string_view payload) {
  Result<WireRunnerHello> wire = decode<WireRunnerHello>(payload);
  if (!wire) return fail(wire.error());
  RunnerHello hello = std::move(wire->hello);
  if (hello.instance.empty()) {
    return fail(ErrorKind::bad_request, "RunnerHello.instance: must not be empty");
  }
  hello.limits = sane(wire->limits);
  return hello;
}

Result<GoAway> decode_go_away(std::string_view payload) { return decode<GoAway>(payload); }

}  // namespace talaria::link
