// What a tool call has besides its arguments, and the list of tools.
#pragma once

#include <talaria/error.h>
#include <talaria/export.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// A tool of the caller's own, which scripts of execute_code may call beside ours. It passes no
// policy of ours.
struct OwnTool {
  std::string name = {};         // of a Python function
  std::string description = {};  // one line is best
};

// A script calls one of them.
struct OwnToolCall {
  std::string tool = {};
  std::string arguments = {};  // a JSON object
  std::string task = {};
  std::string session_key = {};
  std::string id = {};  // CallContext::id of the call that the script is
};

// Takes the result, as JSON text, or an Error, which the script gets as {"error": message}. Any
// thread may call it, now or later; only the first call is used.
using OwnToolReply = std::function<void(Result<std::string> result)>;

struct OwnTools {
  std::vector<OwnTool> tools = {};
  // Called on the runtime's thread. Must not wait for the result, which goes to the reply. What it
  // throws counts as an error.
  std::function<void(const OwnToolCall&, OwnToolReply)> call = {};
};

struct CallContext {
  std::string task = {};         // whose session; empty: the default one
  std::string session_key = {};  // who is asking
  // Its commands start, and relative paths are, where a new session would start (terminal.cwd, or
  // the directory of this program) instead of where the session is, which stays there.
  bool own_directory = false;
  // what a script of this call may use; absent: all
  std::optional<std::vector<std::string>> tools = {};
  // The caller's own tools, for a script of this call; `tools` decides about them, too.
  std::shared_ptr<const OwnTools> own_tools = {};
  // The program vouches for the call: nobody is asked even if it is dangerous. Commands that are
  // never allowed are still refused. A model cannot set this by its arguments.
  bool force = false;
  // False: if a person has to be asked, the question is put into the queue, and the call ends at
  // once with that.
  bool waits_for_approval = true;
  // Where a session that is new begins; empty: as configured.
  std::string first_directory = {};
  // The agent's id of this call. Approval requests carry it, and a result that is stored in a file
  // is named after it.
  std::string id = {};
  // calls of one turn of a model share a limit on their results; empty: none
  std::string turn = {};
  // NAME=value: more variables for the commands of this call, such as a trace context. A session
  // does not remember them.
  std::vector<std::string> variables = {};
  // While a command or script of this call runs, about once a second if it printed more: what it
  // printed last, as text without secrets. It must not throw.
  std::function<void(std::string_view)> on_progress = {};
};

struct ToolInfo {
  std::string_view name = {};
  std::string description = {};  // for a model
  std::string schema = {};       // of its arguments: JSON Schema, as JSON text
};

// All tools, described with the limits of this process's configuration.
TALARIA_API std::vector<ToolInfo> tools();

}  // namespace talaria
