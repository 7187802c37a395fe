#include "mcp/conformance/fixtures.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json/parse.hpp>

#include "json/json_text.h"
#include "mcp/conformance/input_fixtures.h"

namespace talaria::test {
namespace {

using front::mcp::kMcpResourceNotFound;
using front::mcp::kRpcInvalidParams;
using front::mcp::McpOffer;
using front::mcp::McpOther;
using front::mcp::McpRead;
using front::mcp::RpcError;

constexpr std::string_view kImage =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg"
    "==";
constexpr std::string_view kSound =
    "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";
constexpr std::chrono::milliseconds kStep{50};

json::object text(std::string_view said) { return {{"type", "text"}, {"text", said}}; }
json::object image() { return {{"type", "image"}, {"data", kImage}, {"mimeType", "image/png"}}; }

json::object resource(std::string_view uri, std::string_view type, std::string_view said) {
  return {{"type", "resource"}, {"resource", {{"uri", uri}, {"mimeType", type}, {"text", said}}}};
}

json::object content(json::array blocks) { return {{"content", std::move(blocks)}}; }
json::object said(std::string_view what) { return content({text(what)}); }

json::object failed(std::string_view what) {
  json::object result = said(what);
  result["isError"] = true;
  return result;
}

std::string argument(const json::object& arguments, std::string_view name) {
  const json::value* value = arguments.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : "";
}

json::object no_arguments() { return {{"type", "object"}, {"properties", json::object()}}; }

json::object one_argument(std::string_view name) {
  return {{"type", "object"},
          {"properties", {{name, {{"type", "string"}}}}},
          {"required", json::array{name}}};
}

// A schema with much of what JSON Schema 2020-12 knows.
constexpr std::string_view kRichSchema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
    }
  },
  "properties": {
    "name": {"type": "string"},
    "address": {"$ref": "#/$defs/address"},
    "contactMethod": {"type": "string", "enum": ["phone", "email"]},
    "phone": {"type": "string"},
    "email": {"type": "string"}
  },
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
  "then": {"required": ["phone"]},
  "else": {"required": ["email"]},
  "additionalProperties": false
})";

// An argument that HTTP clients send in a header, too.
json::object header_argument() {
  return {{"type", "object"},
          {"properties", {{"region", {{"type", "string"}, {"x-mcp-header", "Region"}}}}}};
}

// What needs nobody else.
std::optional<json::object> plain(std::string_view tool) {
  if (tool == "test_simple_text") return said("This is a simple text response for testing.");
  if (tool == "test_image_content") return content({image()});
  if (tool == "test_audio_content") {
    return content({json::object{{"type", "audio"}, {"data", kSound}, {"mimeType", "audio/wav"}}});
  }
  if (tool == "test_embedded_resource") {
    return content({resource("test://embedded-resource", "text/plain",
                             "This is an embedded resource content.")});
  }
  if (tool == "test_multiple_content_types") {
    return content({text("Multiple content types test:"), image(),
                    resource("test://mixed-content-resource", "application/json",
                             R"({"test":"data","value":123})")});
  }
  if (tool == "test_error_handling") {
    return failed("This tool intentionally returns an error for testing");
  }
  if (tool == "json_schema_2020_12_tool" || tool == "test_header_argument") {
    return said("It was called.");
  }
  if (tool == "test_trigger_tool_change" || tool == "test_trigger_prompt_change") {
    return said("Nothing changes here.");
  }
  return std::nullopt;
}

Task<void> pause(std::chrono::milliseconds time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(as_values);
}

Task<json::object> with_progress(const McpMeans& means) {
  means.progress(0, 100);
  co_await pause(kStep);
  means.progress(50, 100);
  co_await pause(kStep);
  means.progress(100, 100);
  co_return said("Progress was told.");
}

Task<json::object> with_logging(const McpMeans& means) {
  means.log("Tool execution started");
  co_await pause(kStep);
  means.log("Tool processing data");
  co_await pause(kStep);
  means.log("Tool execution completed");
  co_return said("Messages were logged.");
}

// What is asked of a client before 2026-07-28, and how its answer is told.
Task<json::object> asked(const McpMeans& means, std::string method, json::object params,
                         std::string before) {
  const auto answer = co_await means.ask(std::move(method), std::move(params));
  if (!answer) co_return failed("The client cannot be asked.");
  co_return said(before + to_line(*answer));
}

Task<json::object> sampled(const McpCall& call, const McpMeans& means) {
  return asked(means, "sampling/createMessage", sampling_params(argument(call.arguments, "prompt")),
               "LLM response: ");
}

Task<json::object> elicited(const McpCall& call, const McpMeans& means) {
  constexpr std::string_view kCompleted = "Elicitation completed: ";
  if (call.tool == "test_elicitation_sep1034_defaults") {
    return asked(means, "elicitation/create", form_with_defaults(), std::string(kCompleted));
  }
  if (call.tool == "test_elicitation_sep1330_enums") {
    return asked(means, "elicitation/create", form_with_enums(), std::string(kCompleted));
  }
  return asked(means, "elicitation/create", name_and_mail_form(argument(call.arguments, "message")),
               "User response: ");
}

json::object prompt_message(json::object block) {
  return {{"role", "user"}, {"content", std::move(block)}};
}

json::object messages(json::array list) { return {{"messages", std::move(list)}}; }

McpAnswer get_prompt(const McpOther& wanted) {
  const std::string name = argument(wanted.params, "name");
  const json::value* given = wanted.params.if_contains("arguments");
  const json::object arguments = given && given->is_object() ? given->get_object() : json::object();
  if (name == "test_simple_prompt") {
    return messages({prompt_message(text("This is a simple prompt for testing."))});
  }
  if (name == "test_prompt_with_arguments") {
    return messages(
        {prompt_message(text("Prompt with arguments: arg1='" + argument(arguments, "arg1") +
                             "', arg2='" + argument(arguments, "arg2") + "'"))});
  }
  if (name == "test_prompt_with_embedded_resource") {
    return messages({prompt_message(resource(argument(arguments, "resourceUri"), "text/plain",
                                             "Embedded resource content for testing.")),
                     prompt_message(text("Please process the embedded resource above."))});
  }
  if (name == "test_prompt_with_image") {
    return messages(
        {prompt_message(image()), prompt_message(text("Please analyze the image above."))});
  }
  if (name == "test_input_required_result_prompt") {
    const auto context = answered_text(wanted.params, "user_context", "context");
    if (!context) return input_required_for_prompt();
    return messages({prompt_message(text("The context is " + *context))});
  }
  return std::unexpected(RpcError{kRpcInvalidParams, "Unknown prompt: " + name});
}

json::array fixture_tools() {
  json::array tools;
  const auto add = [&](std::string_view name, json::object schema) {
    tools.push_back(json::object{{"name", name},
                                 {"description", "A fixture of the conformance suite."},
                                 {"inputSchema", std::move(schema)}});
  };
  for (const char* name :
       {"test_simple_text", "test_image_content", "test_audio_content", "test_embedded_resource",
        "test_multiple_content_types", "test_error_handling", "test_tool_with_logging",
        "test_tool_with_progress", "test_elicitation_sep1034_defaults",
        "test_elicitation_sep1330_enums", "test_logging_tool", "test_missing_capability",
        "test_streaming_elicitation", "test_trigger_tool_change", "test_trigger_prompt_change"}) {
    add(name, no_arguments());
  }
  for (const std::string_view name : input_required_fixtures()) add(name, no_arguments());
  add("json_schema_2020_12_tool", json::parse(kRichSchema).as_object());
  add("test_header_argument", header_argument());
  add("test_sampling", one_argument("prompt"));
  add("test_elicitation", one_argument("message"));
  return tools;
}

json::object described(std::string_view uri, std::string_view name, std::string_view type) {
  return {{"uri", uri},
          {"name", name},
          {"description", "A fixture of the conformance suite."},
          {"mimeType", type}};
}

json::object prompt(std::string_view name, std::initializer_list<std::string_view> arguments) {
  json::array list;
  for (const std::string_view argument : arguments) {
    list.push_back(
        json::object{{"name", argument}, {"description", "What to put in."}, {"required", true}});
  }
  return {{"name", name},
          {"description", "A fixture of the conformance suite."},
          {"arguments", std::move(list)}};
}

class Fixtures final : public front::mcp::ConformanceHandler {
 public:
  Task<McpAnswer> call(const McpCall& call, const McpMeans& means) override {
    if (auto result = plain(call.tool)) co_return std::move(*result);
    if (call.tool == "test_tool_with_progress") co_return co_await with_progress(means);
    if (call.tool == "test_tool_with_logging" || call.tool == "test_logging_tool") {
      co_return co_await with_logging(means);
    }
    if (call.tool == "test_sampling") co_return co_await sampled(call, means);
    if (call.tool.starts_with("test_elicitation")) co_return co_await elicited(call, means);
    co_return input_required_fixture(call, means);
  }

  McpAnswer read(const McpRead& wanted) override {
    const auto one = [&](json::object contents) -> json::object {
      contents["uri"] = wanted.uri;
      return {{"contents", json::array{std::move(contents)}}};
    };
    if (wanted.uri == "test://static-text" || wanted.uri == "test://watched-resource") {
      return one({{"mimeType", "text/plain"},
                  {"text", "This is the content of the static text resource."}});
    }
    if (wanted.uri == "test://static-binary") {
      return one({{"mimeType", "image/png"}, {"blob", kImage}});
    }
    constexpr std::string_view kBefore = "test://template/";
    constexpr std::string_view kBehind = "/data";
    const std::string_view uri = wanted.uri;
    if (uri.starts_with(kBefore) && uri.ends_with(kBehind) &&
        uri.size() > kBefore.size() + kBehind.size()) {
      const std::string id(
          uri.substr(kBefore.size(), uri.size() - kBefore.size() - kBehind.size()));
      return one(
          {{"mimeType", "application/json"},
           {"text", to_line(json::object{
                        {"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}})}});
    }
    return std::unexpected(
        RpcError{wanted.request.modern ? kRpcInvalidParams : kMcpResourceNotFound,
                 "Resource not found",
                 {{"uri", wanted.uri}}});
  }

  McpAnswer other(const McpOther& wanted) override {
    if (wanted.method == "prompts/get") return get_prompt(wanted);
    return json::object{
        {"completion", {{"values", json::array()}, {"total", 0}, {"hasMore", false}}}};
  }
};

}  // namespace

McpOffer fixture_offer() {
  return {.instructions = "Fixtures of the conformance suite.",
          .tools = fixture_tools(),
          .resources = {described("test://static-text", "static text", "text/plain"),
                        described("test://static-binary", "static binary", "image/png"),
                        described("test://watched-resource", "watched", "text/plain")},
          .templates = {json::object{{"uriTemplate", "test://template/{id}/data"},
                                     {"name", "template"},
                                     {"description", "A fixture of the conformance suite."},
                                     {"mimeType", "application/json"}}},
          .prompts = json::array{prompt("test_simple_prompt", {}),
                                 prompt("test_prompt_with_arguments", {"arg1", "arg2"}),
                                 prompt("test_prompt_with_embedded_resource", {"resourceUri"}),
                                 prompt("test_prompt_with_image", {}),
                                 prompt("test_input_required_result_prompt", {})},
          .completes = true,
          .logs = true,
          .handler = std::make_shared<Fixtures>()};
}

}  // namespace talaria::test
