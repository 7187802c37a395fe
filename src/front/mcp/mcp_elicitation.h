// How a person is asked about a command through an MCP client: as a form with one field, by
// `elicitation/create` or, since 2026-07-28, as a result that wants to be called again. Secrets are
// never asked for this way: what a form brings passes through the client and maybe a model.
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

// What was answered: "once", "session", "always" or "deny". A form that was closed, or filled in
// otherwise, denies. Nothing if nobody was asked: the client would not.
std::optional<std::string> answer_in(const std::optional<json::object>& result);

// The result that has the client ask and call again with `state`.
json::object input_required(json::object form, std::string state);

// What was answered to that.
std::optional<std::string> answer_in_responses(const json::object& responses);

// The answer of a tool that waits for an approval, with what a person has to do for it.
json::object with_how_to_approve(json::object answer, std::string_view question);

}  // namespace talaria::front::mcp
