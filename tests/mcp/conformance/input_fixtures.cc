#include "mcp/conformance/input_fixtures.h"

#include <utility>

#include "json/json_text.h"

namespace talaria::test {
namespace {

using front::mcp::kMcpMissingCapability;
using front::mcp::kRpcInvalidParams;
using front::mcp::RpcError;

json::object form(std::string_view message, json::object properties, json::array required) {
  return {{"message", message},
          {"requestedSchema",
           {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)}}}};
}

json::object string_field() { return {{"type", "string"}}; }

json::object one_field(std::string_view message, std::string_view name) {
  return form(message, {{name, string_field()}}, {name});
}

json::object elicitation(json::object params) {
  return {{"method", "elicitation/create"}, {"params", std::move(params)}};
}

json::object sampling(std::string_view prompt) {
  return {{"method", "sampling/createMessage"}, {"params", sampling_params(prompt)}};
}

json::object roots() { return {{"method", "roots/list"}, {"params", json::object()}}; }

json::object wants(json::object requests) {
  return {{"resultType", "input_required"}, {"inputRequests", std::move(requests)}};
}

json::object done(std::string_view what) {
  return {{"content", json::array{json::object{{"type", "text"}, {"text", what}}}}};
}

const json::object* response_in(const json::object& responses, std::string_view name) {
  const json::value* value = responses.if_contains(name);
  return value ? value->if_object() : nullptr;
}

bool accepted(const json::object& responses, std::string_view name) {
  const json::object* response = response_in(responses, name);
  const json::value* action = response ? response->if_contains("action") : nullptr;
  return action && *action == "accept";
}

bool can(const McpCall& call, std::string_view capability) {
  return call.request.capabilities.contains(capability);
}

std::optional<std::string> text_in(const json::object& responses, std::string_view name,
                                   std::string_view field) {
  if (!accepted(responses, name)) return std::nullopt;
  const json::value* content = response_in(responses, name)->if_contains("content");
  const json::value* text =
      content && content->is_object() ? content->get_object().if_contains(field) : nullptr;
  if (!text || !text->is_string()) return std::nullopt;
  return std::string(text->get_string());
}

// Which round a call is in, as its state says; an error if that is not ours.
std::expected<std::string, RpcError> round_of(const McpCall& call, const McpMeans& means) {
  if (call.request_state.empty()) return "";
  const auto round =
      means.state.asked_in(call.request_state, means.principal, call.tool, call.arguments);
  if (!round) {
    return std::unexpected(
        RpcError{kRpcInvalidParams, "Invalid params: requestState is not of this call"});
  }
  return round->question;
}

json::object with_state(json::object result, const McpCall& call, const McpMeans& means,
                        std::string_view round) {
  result["requestState"] = means.state.make(means.principal, call.tool, call.arguments, round);
  return result;
}

json::object only_what_it_can(const McpCall& call) {
  json::object requests;
  if (can(call, "elicitation")) {
    requests["user_name"] = elicitation(one_field("What is your name?", "name"));
  }
  if (can(call, "sampling")) requests["question"] = sampling("What is the capital of France?");
  if (can(call, "roots")) requests["client_roots"] = roots();
  return requests.empty() ? done("This client cannot be asked anything.") : wants(requests);
}

McpAnswer rounds(const McpCall& call, const McpMeans& means, const std::string& round) {
  const json::object& responses = call.input_responses;
  if (round == "1" && accepted(responses, "step1")) {
    return with_state(
        wants({{"step2", elicitation(one_field("Step 2: What is your favorite color?", "color"))}}),
        call, means, "2");
  }
  if (round == "2" && accepted(responses, "step2")) return done("All rounds are done.");
  return with_state(
      wants({{"step1", elicitation(one_field("Step 1: What is your name?", "name"))}}), call, means,
      "1");
}

McpAnswer many_inputs(const McpCall& call, const McpMeans& means) {
  const json::object& responses = call.input_responses;
  const bool all = response_in(responses, "user_name") && response_in(responses, "greeting") &&
                   response_in(responses, "client_roots");
  if (all && !call.request_state.empty()) return done("All inputs are there.");
  return with_state(wants({{"user_name", elicitation(one_field("What is your name?", "name"))},
                           {"greeting", sampling("Generate a greeting")},
                           {"client_roots", roots()}}),
                    call, means, "1");
}

McpAnswer confirmed(const McpCall& call, const McpMeans& means, const std::string& round) {
  if (round == "1" && accepted(call.input_responses, "confirm")) return done("state-ok");
  return with_state(
      wants({{"confirm",
              elicitation(form("Please confirm", {{"ok", {{"type", "boolean"}}}}, {"ok"}))}}),
      call, means, "1");
}

}  // namespace

json::object sampling_params(std::string_view prompt) {
  return {{"messages", json::array{json::object{
                           {"role", "user"}, {"content", {{"type", "text"}, {"text", prompt}}}}}},
          {"maxTokens", 100}};
}

json::object name_and_mail_form(std::string_view message) {
  return form(message,
              {{"username", {{"type", "string"}, {"description", "User's response"}}},
               {"email", {{"type", "string"}, {"description", "User's email address"}}}},
              {"username", "email"});
}

json::object form_with_defaults() {
  return form("Please review and update the form fields with defaults",
              {{"name", {{"type", "string"}, {"default", "John Doe"}}},
               {"age", {{"type", "integer"}, {"default", 30}}},
               {"score", {{"type", "number"}, {"default", 95.5}}},
               {"status",
                {{"type", "string"},
                 {"enum", json::array{"active", "inactive", "pending"}},
                 {"default", "active"}}},
               {"verified", {{"type", "boolean"}, {"default", true}}}},
              {});
}

json::object form_with_enums() {
  const auto titled = [](std::string_view kind) {
    json::array list;
    for (const std::string_view number : {"1", "2", "3"}) {
      list.push_back(json::object{{"const", "value" + std::string(number)},
                                  {"title", std::string(kind) + " " + std::string(number)}});
    }
    return list;
  };
  const json::array options{"option1", "option2", "option3"};
  return form(
      "Please select options from the enum fields",
      {{"untitledSingle", {{"type", "string"}, {"enum", options}}},
       {"titledSingle", {{"type", "string"}, {"oneOf", titled("Option")}}},
       {"legacyEnum",
        {{"type", "string"},
         {"enum", json::array{"opt1", "opt2", "opt3"}},
         {"enumNames", json::array{"Option One", "Option Two", "Option Three"}}}},
       {"untitledMulti", {{"type", "array"}, {"items", {{"type", "string"}, {"enum", options}}}}},
       {"titledMulti", {{"type", "array"}, {"items", {{"anyOf", titled("Choice")}}}}}},
      {});
}

std::vector<std::string_view> input_required_fixtures() {
  return {"test_input_required_result_elicitation",     "test_input_required_result_sampling",
          "test_input_required_result_list_roots",      "test_input_required_result_request_state",
          "test_input_required_result_multiple_inputs", "test_input_required_result_multi_round",
          "test_input_required_result_tampered_state",  "test_input_required_result_capabilities"};
}

McpAnswer input_required_fixture(const McpCall& call, const McpMeans& means) {
  if (call.tool == "test_missing_capability") {
    if (can(call, "sampling")) return done("The client can.");
    return std::unexpected(RpcError{kMcpMissingCapability,
                                    "Missing required client capability",
                                    {{"requiredCapabilities", {{"sampling", json::object()}}}}});
  }
  const auto round = round_of(call, means);
  if (!round) return std::unexpected(round.error());
  if (call.tool == "test_input_required_result_sampling") {
    if (response_in(call.input_responses, "capital_question")) return done("It was answered.");
    return wants({{"capital_question", sampling("What is the capital of France?")}});
  }
  if (call.tool == "test_input_required_result_list_roots") {
    const json::object* given = response_in(call.input_responses, "client_roots");
    return given ? done("Roots: " + to_line(*given)) : wants({{"client_roots", roots()}});
  }
  if (call.tool == "test_input_required_result_request_state" ||
      call.tool == "test_input_required_result_tampered_state") {
    return confirmed(call, means, *round);
  }
  if (call.tool == "test_input_required_result_multiple_inputs") return many_inputs(call, means);
  if (call.tool == "test_input_required_result_multi_round") return rounds(call, means, *round);
  if (call.tool == "test_input_required_result_capabilities") return only_what_it_can(call);
  const auto name = text_in(call.input_responses, "user_name", "name");
  if (name) return done("Hello, " + *name + "!");
  return wants({{"user_name", elicitation(one_field("What is your name?", "name"))}});
}

json::object input_required_for_prompt() {
  return wants(
      {{"user_context", elicitation(one_field("What context should the prompt use?", "context"))}});
}

std::optional<std::string> answered_text(const json::object& params, std::string_view form,
                                         std::string_view field) {
  const json::value* responses = params.if_contains("inputResponses");
  if (!responses || !responses->is_object()) return std::nullopt;
  return text_in(responses->get_object(), form, field);
}

}  // namespace talaria::test
