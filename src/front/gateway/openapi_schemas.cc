// The schemas of the OpenAPI document.
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>

#include "front/gateway/openapi.h"

namespace talaria::front::gateway {
namespace {

namespace json = boost::json;

json::object type(std::string_view name) { return {{"type", name}}; }
json::object text() { return type("string"); }
json::object truth() { return type("boolean"); }
json::object whole() { return type("integer"); }
json::object exactly(json::value value) { return {{"const", std::move(value)}}; }
json::object or_null(std::string_view name) { return {{"type", json::array{name, "null"}}}; }
json::object from_zero(std::string_view name) { return {{"type", name}, {"minimum", 0}}; }
json::object fitting(std::string_view pattern) {
  return {{"type", "string"}, {"pattern", pattern}};
}
json::object schema(std::string_view name) {
  return {{"$ref", "#/components/schemas/" + std::string(name)}};
}
json::object list_of(json::object item) { return {{"type", "array"}, {"items", std::move(item)}}; }
json::object one_of(std::initializer_list<json::value_ref> values) {
  return {{"enum", json::array(values)}};
}

struct Field {
  const char* name = nullptr;  // null: there is no such field
  json::object schema;
  bool required = true;
};

Field may_have(const char* name, json::object schema) { return {name, std::move(schema), false}; }

json::object shape(std::initializer_list<Field> fields) {
  json::object properties;
  json::array required;
  for (const Field& field : fields) {
    if (field.name == nullptr) continue;
    properties[field.name] = field.schema;
    if (field.required) required.emplace_back(field.name);
  }
  json::object object = type("object");
  if (!required.empty()) object["required"] = std::move(required);
  object["properties"] = std::move(properties);
  return object;
}

// Our answers have no other fields.
json::object answer(std::initializer_list<Field> fields) {
  json::object object = shape(fields);
  object["additionalProperties"] = false;
  return object;
}

// `output` only of one exec, not in lists.
json::object exec_answer(bool with_output) {
  return answer({{"execId", text()},
                 {"status", schema("ExecStatus")},
                 with_output ? Field{"output", text()} : Field{},
                 {"returncode", or_null("integer")},
                 {"outputBytes", whole()},
                 {"truncated", truth()},
                 may_have("reason", text()),
                 may_have("approvalId", text()),
                 {"createdAt", schema("Time")},
                 may_have("startedAt", schema("Time")),
                 may_have("endedAt", schema("Time"))});
}

json::object limits() {
  json::object object = answer({{"cpu", or_null("number")},
                                {"memoryMiB", or_null("number")},
                                {"diskMiB", or_null("number")}});
  object["description"] = "Limits that the target enforces; null: none";
  return object;
}

json::object schemas() {
  const json::object amount = from_zero("number");
  return {
      {"Error", answer({{"error", {{"type", "string"}, {"minLength", 1}}}})},
      {"SandboxRequest",
       shape({may_have("image", text()), may_have("cwd", text()), may_have("cpu", amount),
              may_have("memoryMiB", amount), may_have("diskMiB", amount),
              may_have("timeoutMs", amount), may_have("idleTimeoutMs", amount),
              may_have("persistentFilesystem", truth()), may_have("logicalKey", text())})},
      {"Sandbox", answer({{"id", fitting("^sbx_[0-9a-f]{32}$")},
                          {"status", one_of({"creating", "running", "terminated"})},
                          {"target", text()},
                          {"isolated", truth()},
                          {"limits", schema("Limits")},
                          {"cwd", text()},
                          {"persistentFilesystem", truth()},
                          {"logicalKey", text()},
                          {"restored", truth()},
                          {"execs", whole()},
                          {"createdAt", schema("Time")},
                          {"lastUsedAt", schema("Time")},
                          {"features", list_of(text())}})},
      {"Limits", limits()},
      {"SandboxList", answer({{"sandboxes", list_of(schema("Sandbox"))}})},
      {"TerminateRequest", shape({may_have("snapshotBeforeTerminate", truth())})},
      {"Terminated",
       answer(
           {{"id", text()}, {"status", exactly("terminated")}, may_have("snapshotError", text())})},
      {"ExecRequest",
       shape({{"execId", fitting("^[A-Za-z0-9._:-]{1,128}$")},
              {"command", text()},
              may_have("cwd", text()),
              may_have("stdinData", text()),
              may_have("session", truth()),
              may_have("stdin", truth()),
              may_have("timeoutMs", amount),
              may_have("env", {{"type", "object"}, {"additionalProperties", text()}})})},
      {"Exec", exec_answer(true)},
      {"ExecSummary", exec_answer(false)},
      {"ExecStatus",
       one_of({"queued", "running", "cancelling", "completed", "failed", "cancelled", "timeout"})},
      {"ExecList", answer({{"execs", list_of(schema("ExecSummary"))}})},
      {"Cancelling", answer({{"execId", text()}, {"status", exactly("cancelling")}})},
      {"InputRequest",
       shape({may_have("data", text()),
              may_have("dataBase64", {{"type", "string"}, {"contentEncoding", "base64"}}),
              may_have("end", truth())})},
      {"Taken", answer({{"taken", exactly(true)}})},
      {"SignalRequest", shape({{"signal", {{"type", {"string", "integer"}}}}})},
      {"Sent", answer({{"sent", exactly(true)}})},
      {"AnswerRequest",
       shape({{"answer", one_of({"once", "session", "always", "deny"})},
              may_have("covers", one_of({"command", "directory", "task", "target"})),
              may_have("for", fitting("^[0-9]+[smhd]$"))})},
      {"GrantOffer", answer({{"covers", text()}, {"sentence", text()}})},
      {"ApprovalDetail", answer({{"name", text()}, {"text", text()}})},
      {"Approval", answer({{"id", text()},
                           {"command", text()},
                           {"details", list_of(schema("ApprovalDetail"))},
                           {"description", text()},
                           {"pattern_key", text()},
                           {"pattern_keys", list_of(text())},
                           {"session_key", text()},
                           {"task", text()},
                           {"target", text()},
                           {"cwd", text()},
                           {"allow_permanent", truth()},
                           {"offers", list_of(schema("GrantOffer"))},
                           {"notices", list_of(text())},
                           {"state", one_of({"open", "answered", "used", "expired"})},
                           may_have("choice", text()),
                           may_have("covers", text()),
                           may_have("lasts", whole()),
                           {"waited_for", truth()},
                           {"asker_gone", truth()},
                           {"pid", whole()},
                           {"created", type("number")},
                           {"expires", type("number")}})},
      {"ApprovalList", answer({{"approvals", list_of(schema("Approval"))}})},
      {"Health", answer({{"status", text()}})},
      {"LinesInfo", answer({{"subprotocol", text()}})},
      {"Document", type("object")},
      {"Time", {{"type", "string"}, {"format", "date-time"}}}};
}

json::object parameter(std::string_view name, std::string_view place, std::string_view says,
                       json::object schema) {
  json::object object{{"name", name}, {"in", place}, {"description", says}};
  if (place == "path") object["required"] = true;
  object["schema"] = std::move(schema);
  return object;
}

json::object parameters() {
  return {
      {"Sandbox", parameter("sandbox", "path", "ID", text())},
      {"Exec", parameter("exec", "path", "The execId of the client", text())},
      {"Approval", parameter("approval", "path", "ID", text())},
      {"Wait",
       parameter("wait", "query", "Answer when it has ended, or after this many milliseconds",
                 {{"type", "integer"}, {"minimum", 0}, {"maximum", 30000}})},
      {"Encoding", parameter("encoding", "query", "Send all output as base64", exactly("base64"))},
      {"From", parameter("from", "query", "Number of the first byte", from_zero("integer"))},
      {"LastEventId", parameter("Last-Event-ID", "header",
                                "Continue after this event; overrides from", from_zero("integer"))},
      {"IdempotencyKey",
       parameter("X-Idempotency-Key", "header", "Requests with the same key get the same sandbox",
                 {{"type", "string"}, {"maxLength", 256}})}};
}

}  // namespace

json::object openapi_components() {
  return {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
          {"responses",
           {{"Error",
             {{"description", "The error"},
              {"content", {{"application/json", {{"schema", schema("Error")}}}}}}}}},
          {"parameters", parameters()},
          {"schemas", schemas()}};
}

}  // namespace talaria::front::gateway
