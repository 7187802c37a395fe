// FileApproval: asks policy before a file tool changes or shows files. What the tool is about to do
// is judged as the commands that would do the same: `cat > FILE`, `rm FILE`, `mv FILE OTHER`, `cat
// FILE`, `grep -r PATTERN DIRECTORY`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "tools/files/file_call.h"

namespace talaria::tool {

// A file that is written, removed, moved to another, or shown.
struct AskedChange {
  policy::FileAct act = policy::FileAct::write;
  const LocatedFile* file = nullptr;
  const LocatedFile* to = nullptr;
  std::string searched_for = {};  // read: only lines with this
  bool tree = false;              // with all that is in it; write: what an archive has
};

class FileApproval {
 public:
  // `files` outlives it. `tool`: as people are asked about it. `content`: what is written, which is
  // shown, and which is all that an answer allows.
  FileApproval(const FileCall& files, std::string_view tool,
               const std::vector<AskedChange>& changes, ApprovalDetail content);

  // For programs: an Error if the files may not be changed.
  Task<Result<void>> allowed();
  // Records in the audit log how it ended. Returns what the caller should know.
  std::vector<std::string> ended(const std::optional<std::string>& flaw) const;

  // For models: nothing if the files may be changed; else the result that says why they are not.
  Task<std::optional<json::object>> refusal();
  // Records in the audit log how it ended, and adds to the result what the caller should know.
  void ended(json::object& result) const;
  // Whether it was allowed without any rule against it. What is only read is not recorded then.
  bool was_harmless() const { return decision_.reason == policy::Reason::harmless; }

  const policy::CommandQuestion& question() const { return question_; }

 private:
  Task<std::optional<std::string>> moved_meanwhile() const;
  // Asks policy; a flaw: it may be changed, but is not what was asked about any more.
  Task<std::optional<std::string>> decide();

  const FileCall& files_;
  std::vector<std::pair<std::string, std::string>> places_;  // what was asked for, where that leads
  policy::CommandQuestion question_;
  policy::Decision decision_;
};

}  // namespace talaria::tool
