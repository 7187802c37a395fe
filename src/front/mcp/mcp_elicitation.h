// Asks a person to approve a command through an MCP client: a form with one field, by
// `elicitation/create` or, since 2026-07-28, by a result that makes the client repeat the call.
// Secrets are never requested this way, because the client, and maybe a model, sees the answer.
#pragma once

#include <talaria/approval.h>

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace talaria::front::mcp {

namespace json = boost::json;

// The parameters of elicitation/create.
json::object approval_form(const ApprovalRequest& question);

// The answer: "once", "session", "always" or "deny". A closed or invalid form denies. Nothing: the
// client did not ask.
std::optional<std::string> answer_in(const std::optional<json::object>& result);

// The result that makes the client ask, and repeat the call with `state`.
json::object input_required(json::object form, std::string state);

// The answer to that.
std::optional<std::string> answer_in_responses(const json::object& responses);

// Adds to the answer of a tool how a person can approve it.
json::object with_how_to_approve(json::object answer, std::string_view question);

}  // namespace talaria::front::mcp
