// Tool: something an agent may ask for by name. It takes a JSON object and answers with one; what
// goes wrong inside a tool is told in that answer, in the tool's own shape.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/cancel.h"
#include "base/task.h"
#include "host/host.h"
#include "policy/command_policy.h"

namespace talaria::tool {

namespace json = boost::json;

class FileMemory;
class TurnBudget;

struct ToolCall {
  host::Host& host;               // outlives the call
  policy::CommandPolicy& policy;  // likewise
  json::object arguments;
  std::string task = std::string(host::kDefaultTask);
  std::string session_key;                        // who is asking
  std::optional<std::vector<std::string>> tools;  // what a script of this call may use; absent: all
  CancelToken cancel;
  bool force = false;           // the embedding program vouches for it; never a model's to say
  FileMemory* files = nullptr;  // what tasks know of files; null: nothing is remembered
  // A script asks (execute_code), not a model: it may read and search the same thing as often as it
  // likes, and what it reads the model has not seen.
  bool from_script = false;
  std::string id;                           // the agent's for this call; empty: it has none
  std::string turn;                         // of the model; empty: it has not said
  TurnBudget* turns = nullptr;              // what turns have taken; null: nothing is counted
  std::vector<std::string> variables = {};  // NAME=value, for the commands of this call
};

struct Tool {
  std::string_view name;
  std::string_view description;  // for a model
  std::string_view schema;       // of its arguments, for a model: JSON Schema, as JSON text
  Task<json::object> (*run)(ToolCall call);
  // In place of `description`, for a session that may use these tools (absent: all); may be null.
  std::string (*describe)(const host::Config& config,
                          const std::optional<std::vector<std::string>>& tools) = nullptr;
  // Its results are given as they are, whatever their size: they are pages with a bound of their
  // own, and to put one aside would only have it read again.
  bool gives_pages = false;
  // In place of `schema`, like `describe`; may be null.
  std::string (*schema_for)(const std::optional<std::vector<std::string>>& tools) = nullptr;
};

}  // namespace talaria::tool
