// Asks a person to approve a command through an MCP client: a form with one field, by
// `elicitation/create` or, since 2026-07-28, by a result that makes the client repeat the call.
// Secrets are never requested this way, because the client, and maybe a model, sees the answer.
#pragma once

#include <talaria/approval.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace talaria::front::mcp {

namespace json = boost::json;

// The parameters of elicitation/create.
json::object approval_form(const ApprovalRequest& question);

// What came back from a client that was to ask.
struct ClientAnswer {
  ApprovalAnswer answer;  // without a word: there is none
  bool declined = false;  // the client did so itself: no person was asked
};

// `took`: the time since the form was sent. A form that was closed, or refused faster than a person
// can read it, was declined by the client. Any other form without an exact approval denies.
// Nothing: the client cannot ask.
std::optional<ClientAnswer> answer_in(const std::optional<json::object>& result,
                                      std::chrono::milliseconds took);

// The result that makes the client ask, and repeat the call with `state`.
json::object input_required(json::object form, std::string state);

// The answer to that.
std::optional<ClientAnswer> answer_in_responses(const json::object& responses,
                                                std::chrono::milliseconds took);

// Adds to the answer of a tool how a person can approve it.
json::object with_how_to_approve(json::object answer, std::string_view question, bool declined);

}  // namespace talaria::front::mcp
