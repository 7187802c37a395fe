// FileAct of a program: finds the files that it is about, asks policy, does it, and records how it
// ended.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message.h"
#include "base/result.h"
#include "base/task.h"
#include "tools/files/file_approval.h"
#include "tools/files/file_call.h"

namespace talaria::tool {

// An Error (denied): the file tools leave that file alone.
Result<void> check_rules(const FileCall& files, const LocatedFile& file, policy::FileAct act);

Error no_such_file(const LocatedFile& file);

// Does `work` with the files once policy allows it. Both, and `changes`, outlive the call.
template <class T, class Work>
Task<Result<T>> with_approval(const FileCall& files, std::string_view method,
                              std::vector<AskedChange> changes, ApprovalDetail content, Work work) {
  for (const AskedChange& change : changes) {
    for (const LocatedFile* file : {change.file, change.to}) {
      if (file == nullptr) continue;
      const policy::FileAct act = file == change.to ? policy::FileAct::write : change.act;
      if (const auto fine = check_rules(files, *file, act); !fine) co_return fail(fine.error());
    }
  }
  const bool reads = changes.front().act == policy::FileAct::read;
  FileApproval approval(files, method, changes, std::move(content));
  if (const auto allowed = co_await approval.allowed(); !allowed) co_return fail(allowed.error());
  Result<T> done = co_await work();
  if (!reads || !approval.was_harmless()) {
    (void)approval.ended(done ? std::optional<std::string>() : done.error().message());
  }
  co_return done;
}

}  // namespace talaria::tool
