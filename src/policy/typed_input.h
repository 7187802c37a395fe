// TypedInput: what is written to processes while they run. The start of a process that reads its
// input as commands needs approval, because that input is not known then. What is never allowed is
// refused here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "policy/approval/approvals.h"

namespace talaria::policy {

class TypedInput {
 public:
  explicit TypedInput(const Approvals& approvals) : approvals_(approvals) {}

  // Why `data` may not be written to `process` (the command it was started with, and where);
  // nothing: it may. The text of a line that is not finished counts with what follows it.
  std::optional<Decision> refusal(CommandQuestion process, const std::string& id,
                                  std::string_view data);

 private:
  const Approvals& approvals_;
  std::map<std::string, std::string> unfinished_;  // lines, by the process that reads them
};

}  // namespace talaria::policy
