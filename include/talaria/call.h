// What a tool call carries beside its arguments, and what there is to call.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

struct CallContext {
  std::string task;                               // whose session; empty: the default one
  std::string session_key;                        // who is asking
  std::optional<std::vector<std::string>> tools;  // what a script of this call may use; absent: all
  // The program vouches for the call: nobody is asked, though it is dangerous. What is never
  // allowed stays so. Not to be had from a model's arguments.
  bool force = false;
  std::string id;    // the agent's for this call: a result that is put aside is named after it
  std::string turn;  // calls of one turn of a model share a bound on their results; empty: none
  // NAME=value: what commands of this call get besides. For what belongs to a call, such as trace
  // context; a session does not remember it.
  std::vector<std::string> variables = {};
};

struct ToolInfo {
  std::string_view name;
  std::string description;  // for a model
  std::string schema;       // of its arguments: JSON Schema, as JSON text
};

// Every tool there is, with the limits that the configuration of this process gives them.
std::vector<ToolInfo> tools();

}  // namespace talaria
