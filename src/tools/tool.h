// Tool: an operation that an agent calls by name. It takes a JSON object and returns one. Errors
// inside a tool are part of that result.
#pragma once

#include <talaria/call.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/cancel.h"
#include "base/task.h"
#include "host/environments.h"
#include "host/interaction.h"
#include "host/journal.h"
#include "host/settings.h"
#include "policy/command_policy.h"

namespace talaria::tool {

namespace json = boost::json;

class FileMemory;
class TurnBudget;

// What tools work with. All of it outlives the calls.
struct Services {
  host::Settings& settings;
  host::Environments& environments;
  host::Journal& journal;
  host::Interaction& people;
  policy::CommandPolicy& policy;
};

struct ToolCall {
  Services services;
  CallContext context;             // with a task
  Result<host::ConfigPtr> config;  // of that task, as it was when the call began
  json::object arguments = {};
  CancelToken cancel = {};
  FileMemory* files = nullptr;  // what tasks know of files; null: nothing is remembered
  TurnBudget* turns = nullptr;  // what turns have taken; null: nothing is counted
  // The call comes from a script (execute_code), not from a model: repeated reads and searches are
  // not limited, and the model has not seen what the script reads.
  bool from_script = false;

  const std::string& task() const { return context.task; }
  // The defaults if the configuration is invalid, which is reported only after what is wrong with
  // the call itself.
  host::ConfigPtr config_or_defaults() const;
};

// A call of the task that `context` names, or of the default one. Looks at the task's
// configuration, which then stays the same for the call.
ToolCall begin_call(const Services& services, CallContext context, CancelToken cancel);

struct Tool {
  std::string_view name;
  std::string_view description;  // for a model
  std::string_view schema;       // of its arguments, for a model: JSON Schema, as JSON text
  Task<json::object> (*run)(ToolCall call);
  // In place of `description`, for a session that may use these tools (absent: all); may be null.
  std::string (*describe)(const host::Config& config,
                          const std::optional<std::vector<std::string>>& tools) = nullptr;
  // Its results stay as they are: they are pages with a limit of their own.
  bool gives_pages = false;
  // In place of `schema`, like `describe`; may be null.
  std::string (*schema_for)(const host::Config& config,
                            const std::optional<std::vector<std::string>>& tools) = nullptr;
  // Further arguments that programs may pass, separated by blanks; models are not offered them.
  std::string_view also = {};
  // Whether a model is offered it with this configuration; null: always.
  bool (*is_offered)(const host::Config& config) = nullptr;
};

}  // namespace talaria::tool
