// The tools of Talaria as MCP shows them: with a title, what they may do (annotations), a schema of
// what they take and of what they give, always in the same order. What a tool answers becomes a
// result: the object itself (structuredContent), the same as text for clients that know no other,
// and links to what can be read besides.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace talaria::front::mcp {

namespace json = boost::json;

// After how many milliseconds a command is handed to the background, if its call does not say.
inline constexpr std::int64_t kDefaultYieldMs = 10'000;

json::array mcp_tools();

// What a model should know of all of them together.
std::string mcp_instructions();

// The answer of a tool as the result of tools/call.
json::object tool_result(std::string_view tool, json::object answer);

// The same for a call that has no answer because of this.
json::object tool_error(std::string_view message);

// A question about a command that somebody has to answer first, if the answer tells of one.
std::optional<std::string> pending_approval(const json::object& answer);

}  // namespace talaria::front::mcp
