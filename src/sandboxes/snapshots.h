// Snapshots: the files of persistent sandboxes, saved under their owner and logical key when they
// end and restored into the next sandbox of that key. At targets without containers a snapshot is
// a directory there, else an archive on this machine.
#pragma once

#include <talaria/sandbox.h>

#include <memory>

#include "base/result.h"
#include "base/task.h"
#include "sandboxes/sandbox_table.h"
#include "tools/tool.h"

namespace talaria::sandboxes {

class Snapshots {
 public:
  Snapshots(tool::Services services, std::shared_ptr<SandboxTable> table)
      : services_(services), table_(std::move(table)) {}

  static bool are_kept_for(const SandboxInfo& sandbox) {
    return sandbox.spec.persistent && !sandbox.spec.logical_key.empty();
  }
  // Sets `restored`. Without a snapshot, or if it can no longer be read, the sandbox begins empty.
  Task<void> restore(SandboxInfo& sandbox);
  // The files of the sandbox become the snapshot of its key, in one step.
  Task<Result<void>> save(const SandboxInfo& sandbox);

 private:
  std::string stored(const SandboxInfo& sandbox);
  Task<Result<void>> set_stored(const SandboxInfo& sandbox, std::string place);
  Task<Result<void>> save_directory(const SandboxInfo& sandbox);
  Task<Result<void>> save_container(const SandboxInfo& sandbox);

  tool::Services services_;
  std::shared_ptr<SandboxTable> table_;
};

}  // namespace talaria::sandboxes
