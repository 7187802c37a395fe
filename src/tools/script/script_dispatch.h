// ScriptDispatch: answers the calls of one script. Each is handled like a call from the model, with
// the same task, policy and hooks, but without the limits on repetition.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/gate.h"
#include "tools/tool.h"

namespace talaria::tool {

class ScriptDispatch {
 public:
  // `call`: the one the script is. Answers may still be under way when it has ended.
  ScriptDispatch(ToolCall call, std::vector<std::string> tools, std::size_t most_calls);

  // One line that a script sent: {"id": n, "tool": name, "args": {...}}. The line that goes back:
  // {"id": n, "result": value}; the bare result if there is no id; nothing for a blank line.
  Task<std::string> answer(std::string line, CancelToken cancel);

  std::size_t made() const { return made_; }
  // What its calls wait for: how to approve each, once.
  const std::vector<std::string>& pending() const { return pending_; }

 private:
  Task<json::value> call_one(json::object request, CancelToken cancel);
  std::string not_allowed(std::string_view tool) const;
  void note_pending(json::object& result);

  ToolCall call_;  // without its arguments
  std::vector<std::string> tools_;
  std::size_t most_calls_;
  std::size_t made_ = 0;
  std::vector<std::string> pending_;
  std::shared_ptr<Gate> gate_;
};

}  // namespace talaria::tool
