// The file of each session in sessions/ of a runner's directory: a protobuf message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace talaria::rendezvous {

struct SessionFile {
  struct Entry {
    std::string name;
    std::optional<std::string> value;
    bool flag = false;
  };

  std::string id;
  std::vector<Entry> variables;  // without a value: unset
  std::vector<Entry> functions;  // flag: exported
  std::vector<Entry> aliases;
  std::vector<Entry> options;  // flag: on
  std::optional<std::int32_t> umask;
  std::string cwd;
  std::optional<std::uint64_t> checksum;  // of all before it; files of earlier versions have none
};

// With its checksum.
std::string encode_session_file(SessionFile file);
Result<SessionFile> decode_session_file(std::string_view bytes);

}  // namespace talaria::rendezvous
