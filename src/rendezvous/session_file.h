// The file a runner keeps of each session in sessions/ of its directory: a protobuf message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria::rendezvous {

enum class SessionField : std::uint32_t {
  id = 1,
  variable = 2,  // an entry; without a value: unset
  function = 3,  // an entry; flag: exported
  alias = 4,     // an entry
  option = 5,    // an entry; flag: on
  umask = 6,
  cwd = 7,
};

// What others than the runner want to know.
struct SessionHead {
  std::string id;
  std::string cwd;
};
Result<SessionHead> read_session_head(std::string_view bytes);

}  // namespace talaria::rendezvous
