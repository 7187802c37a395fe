// SandboxFiles: the sandboxes of a home, each a file <home>/talaria/task_sandboxes/ID.json, and
// beside it ID.lock, which is shared by those who use it. The time of the lock is when it was last
// used.
#pragma once

#include <talaria/sandbox.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria::sandboxes {

struct SandboxFile {
  HomeSandbox sandbox;
  std::string key;  // of the request that created it; empty: none
};

class SandboxFiles {
 public:
  explicit SandboxFiles(const std::string& home) : directory_(home + "/talaria/task_sandboxes") {}

  // Nothing: it does not exist.
  Result<std::optional<SandboxFile>> read(const std::string& id) const;
  std::vector<SandboxFile> all() const;
  Result<void> write(const SandboxFile& file) const;
  void remove(const std::string& id) const;

  // Nobody creates another while it is held. Nothing: another program does just now.
  Result<std::optional<os::UniqueFd>> try_lock_all() const;
  void unlock_all(os::UniqueFd lock) const;
  // It is in use while the descriptor is open. not_found: it is just being removed.
  Result<os::UniqueFd> use(const std::string& id) const;
  static void was_used(const os::UniqueFd& use);
  // Nothing: somebody uses it.
  std::optional<os::UniqueFd> lock(const std::string& id) const;

 private:
  std::string path(const std::string& id, const char* end) const {
    return directory_ + "/" + id + end;
  }

  std::string directory_;
};

// "sbx_" and hexadecimal digits: nothing else is the name of a file.
bool is_sandbox_id(const std::string& id);

}  // namespace talaria::sandboxes
