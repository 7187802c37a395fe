// A result that is too large for a model is written to a file at the target. The model gets its
// beginning and the path, and continues with read_file (docs/guide/results.md).
#pragma once

#include <string>

#include "tools/tool.h"

namespace talaria::tool {

// What is left of a call when it has been answered.
struct AnsweredCall {
  Services services;
  CallContext context;
  TurnBudget* turns = nullptr;  // null: turns are not limited
  bool stays_whole = false;     // whatever its size
};

AnsweredCall answered(const Tool& tool, const ToolCall& call);

// `result` as the model of that call gets it.
Task<json::object> budgeted_result(const Tool& tool, AnsweredCall call, json::object result);

// The name of a file for a call's id: no path, nothing hidden. Empty if nothing of it is left.
std::string file_name_of(std::string_view id);

}  // namespace talaria::tool
