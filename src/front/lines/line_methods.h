// The methods of JSON lines: one table of all of them. docs/reference/json-lines.md describes them,
// and docs/reference/json-lines.schema.json says what their lines look like; a test compares the
// three.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "front/lines/line_method.h"

namespace talaria::front::lines {

// By theme. All methods are in these.
std::span<const Method> basic_methods();     // hello, stream.*, tools.list, text.*
std::span<const Method> exec_methods();      // exec
std::span<const Method> session_methods();   // sessions.*, reads.*
std::span<const Method> env_methods();       // env.*, files.share
std::span<const Method> process_methods();   // processes.*
std::span<const Method> file_methods();      // files.* but files.share
std::span<const Method> sandbox_methods();   // sandboxes.*
std::span<const Method> approval_methods();  // approvals.*
std::span<const Method> agent_methods();     // settings.*, sudo.*, tools.serve, tools.answer
std::span<const Method> event_methods();     // events.*

// Null: there is no method of that name.
const Method* find_method(std::string_view name);
// "a, b, c": those for a client that sees all of a home, or the others.
std::string method_names(bool sees_all);

}  // namespace talaria::front::lines
