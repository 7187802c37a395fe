// What the two sides say about themselves before anything else (HELLO), and why one of them ends a
// connection (GOAWAY). The layout of these messages stays readable by every later major version:
// fields are only ever added.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "link/limits.h"

namespace talaria::link {

inline constexpr std::uint32_t kProtocolMajor = 1;  // must be equal on both sides
inline constexpr std::uint32_t kProtocolMinor = 0;  // says what may be asked for, never refused

// Names a link: random, chosen by the controller, the same over all connections of the link.
struct LinkId {
  std::array<char, kLinkIdBytes> bytes{};
  friend auto operator<=>(const LinkId&, const LinkId&) = default;
};

struct ClientHello {
  std::uint32_t major = kProtocolMajor;
  std::uint32_t minor = kProtocolMinor;
  LinkId link;
  std::uint64_t connection = 1;  // 1, 2, 3, ... within the link
  // The runner every earlier connection of this link was for; empty while none has answered.
  std::string expected_instance;
  // An unfinished request of this link may have been processed over an earlier connection.
  bool resuming = false;
  // 0 for a stream. Otherwise this connection is a batch: the client ends its output after what it
  // has to say and takes what comes back within this time. See docs/reference/link.md.
  std::uint32_t batch_ms = 0;
  std::string software;  // version, for messages to people
  LinkLimits limits;

  friend bool operator==(const ClientHello&, const ClientHello&) = default;
};

struct RunnerHello {
  std::uint32_t major = kProtocolMajor;
  std::uint32_t minor = kProtocolMinor;
  std::string instance;  // new with every start of a runner
  std::string software;
  std::uint64_t pid = 0;  // in the runner's pid namespace
  std::string boot_id;    // of the machine the runner is on
  std::vector<std::string> features;
  LinkLimits limits;
  bool refused = false;     // a GOAWAY follows, and nothing of this connection is processed
  bool known_link = false;  // had a memory of this link before this connection

  friend bool operator==(const RunnerHello&, const RunnerHello&) = default;
};

enum class CloseReason : std::uint32_t {
  lost = 0,          // never on the wire: the stream ended without a GOAWAY
  protocol = 1,      // the receiver of this broke a rule of docs/reference/link.md
  version = 2,       // refused: the majors differ
  instance = 3,      // refused: not the runner the client expects
  unknown_link = 4,  // refused: the client resumes a link this runner has no memory of
  superseded = 5,    // the link has a newer connection (or this one was seen before: refused)
  limit = 6,         // a bound of limits.h was reached
  shutdown = 7,      // the sender is ending
  busy = 8,          // refused: no room for another link
};

// True if a runner that gives this reason has processed nothing that came over the connection.
// (superseded is not a refusal: it may be the answer to a second copy of a connection that is being
// served.)
bool is_refusal(CloseReason reason);

struct GoAway {
  CloseReason reason = CloseReason::protocol;
  std::string message;
};

std::string encode_hello(const ClientHello& hello);
std::string encode_hello(const RunnerHello& hello);
std::string encode_go_away(const GoAway& go_away);
Result<ClientHello> decode_client_hello(std::string_view payload);
Result<RunnerHello> decode_runner_hello(std::string_view payload);
Result<GoAway> decode_go_away(std::string_view payload);

}  // namespace talaria::link
