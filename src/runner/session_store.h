// SessionStore: session states on disk, so that a runner which ends or dies loses none. One file
// per session, replaced in one step, 0600; a file that cannot be read back is set aside, never half
// used.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "shell/state.h"

namespace talaria {

// The file's bytes: a protobuf message (the field numbers are in the .cc).
std::string encode_session(const std::string& id, const SessionState& state);
Result<SessionState> decode_session(const std::string& id, std::string_view bytes);

class SessionStore {
 public:
  explicit SessionStore(std::string directory) : directory_(std::move(directory)) {}

  // nullopt: there is none. An error is worth a notice; the session then starts afresh.
  Result<std::optional<SessionState>> load(const std::string& id);
  Result<void> save(const std::string& id, const SessionState& state);

  std::string path_of(const std::string& id) const;

 private:
  std::string directory_;
};

}  // namespace talaria
