// SessionStore: session states on disk, so that a runner which ends or dies loses none. One file
// per session, replaced in one step, 0600; a file that cannot be read back is set aside, never half
// used.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "shell/state.h"

namespace talaria::runner {

// The file's bytes; rendezvous/session_file.h has the fields.
std::string encode_session(const std::string& id, const shell::SessionState& state);
Result<shell::SessionState> decode_session(const std::string& id, std::string_view bytes);

class SessionStore {
 public:
  explicit SessionStore(std::string directory) : directory_(std::move(directory)) {}

  struct Loaded {
    std::optional<shell::SessionState> state;  // absent: there is none, or none that can be used
    std::string damage;                        // why it could not be used
  };
  // An error: it cannot be read now (no descriptors, an I/O error), but may be there.
  Result<Loaded> load(const std::string& id);
  Result<void> save(const std::string& id, const shell::SessionState& state);
  Result<void> remove(const std::string& id);

  std::string path_of(const std::string& id) const;

 private:
  std::string directory_;
};

}  // namespace talaria::runner
