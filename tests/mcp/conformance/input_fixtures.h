// The fixtures of the conformance suite that ask the client something: forms, and the results of
// 2026-07-28 that want to be called again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "front/mcp/conformance_handler.h"

namespace talaria::test {

namespace json = boost::json;
using front::mcp::McpAnswer;
using front::mcp::McpCall;
using front::mcp::McpMeans;

json::object sampling_params(std::string_view prompt);
json::object name_and_mail_form(std::string_view message);
json::object form_with_defaults();
json::object form_with_enums();

std::vector<std::string_view> input_required_fixtures();
McpAnswer input_required_fixture(const McpCall& call, const McpMeans& means);
json::object input_required_for_prompt();

// What was answered in the field of a form of that name; nothing if it was not, or not as wanted.
std::optional<std::string> answered_text(const json::object& params, std::string_view form,
                                         std::string_view field);

}  // namespace talaria::test
