// Every route of the gateway and what it may answer, as a table.
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>

#include "front/gateway/openapi.h"
#include "json/json_text.h"

namespace talaria::front::gateway {
namespace {

namespace json = boost::json;

struct SuccessAnswer {
  const char* status;
  const char* says;
  const char* schema;  // by its name among the components; null: it has no body
};

struct Operation {
  const char* path;
  const char* method;
  const char* id;
  const char* summary;
  const char* description;
  std::vector<const char*> parameters = {};
  std::vector<SuccessAnswer> answers;
  std::vector<const char*> errors = {};  // statuses besides the usual ones
  const char* body = nullptr;            // the schema of the request; null: it has none
  bool needs_body = false;
  bool open = false;  // without a token
};

constexpr const char* kOne = "/v1/sandboxes/{sandbox}";
constexpr const char* kExecs = "/v1/sandboxes/{sandbox}/execs";
constexpr const char* kExec = "/v1/sandboxes/{sandbox}/execs/{exec}";

std::vector<Operation> operations() {
  const std::vector<const char*> of_exec{"Sandbox", "Exec"};
  return {
      {"/v1/sandboxes",
       "post",
       "createSandbox",
       "Create a sandbox",
       "The answer comes when commands can be started. Every field has a default.",
       {"IdempotencyKey"},
       {{"200", "The sandbox of an earlier request with the same key", "Sandbox"},
        {"201", "A new sandbox", "Sandbox"}},
       {"400", "409", "502", "503"},
       "SandboxRequest"},
      {"/v1/sandboxes",
       "get",
       "listSandboxes",
       "List your sandboxes",
       "Those of the user of the token that have not ended.",
       {},
       {{"200", "The sandboxes", "SandboxList"}},
       {}},
      {kOne,
       "get",
       "showSandbox",
       "Show a sandbox",
       "As the answer of its creation, with the number of its running execs.",
       {"Sandbox"},
       {{"200", "The sandbox", "Sandbox"}},
       {"404"}},
      {"/v1/sandboxes/{sandbox}/terminate",
       "post",
       "terminateSandbox",
       "End a sandbox and everything that runs in it",
       "Running execs are cancelled. A second request gets the same answer.",
       {"Sandbox"},
       {{"200", "The sandbox has ended", "Terminated"}},
       {"400", "404", "503"},
       "TerminateRequest"},
      {kExecs,
       "post",
       "startExec",
       "Run a command, once per execId",
       "A second request with the same execId returns the state of the first.",
       {"Sandbox", "Wait"},
       {{"200", "The command has ended", "Exec"}, {"202", "The command is running", "Exec"}},
       {"400", "404", "502", "503"},
       "ExecRequest",
       true},
      {kExecs,
       "get",
       "listExecs",
       "List the execs of a sandbox, without output",
       "Both running and ended execs.",
       {"Sandbox"},
       {{"200", "The execs", "ExecList"}},
       {"404"}},
      {kExec,
       "get",
       "pollExec",
       "Show the state of an exec",
       "The output is there once it has ended.",
       {"Sandbox", "Exec", "Wait"},
       {{"200", "The exec", "Exec"}},
       {"400", "404"}},
      {"/v1/sandboxes/{sandbox}/execs/{exec}/cancel",
       "post",
       "cancelExec",
       "End an exec",
       "Ends its process tree: TERM, and KILL one second later.",
       of_exec,
       {{"200", "It had already ended", "Exec"}, {"202", "It is being ended", "Cancelling"}},
       {"404"}},
      {"/v1/sandboxes/{sandbox}/execs/{exec}/stdin",
       "post",
       "writeExec",
       "Write to its input",
       "Only for an exec that was started with stdin: true.",
       of_exec,
       {{"200", "All of it was written", "Taken"}},
       {"400", "404", "409", "502", "503"},
       "InputRequest"},
      {"/v1/sandboxes/{sandbox}/execs/{exec}/signal",
       "post",
       "signalExec",
       "Send a signal to its process tree",
       "A name such as INT, or a number.",
       of_exec,
       {{"200", "The signal was sent", "Sent"}},
       {"400", "404", "409", "502", "503"},
       "SignalRequest",
       true},
      {"/v1/sandboxes/{sandbox}/execs/{exec}/output",
       "get",
       "streamExec",
       "Stream its output",
       "Server-sent events. A client that reconnects sends Last-Event-ID.",
       {"Sandbox", "Exec", "From", "Encoding", "LastEventId"},
       {{"200", "Events: output, gap, end", "text/event-stream"}},
       {"400", "404"}},
      {"/v1/lines",
       "get",
       "openLines",
       "Open a WebSocket of JSON lines",
       "A WebSocket with the subprotocol talaria.lines.1; docs/reference/json-lines.md describes "
       "it.",
       {},
       {{"101", "The connection is a WebSocket", nullptr},
        {"200", "Without an upgrade: what is spoken here", "LinesInfo"}},
       {"400"}},
      {"/v1/approvals",
       "get",
       "listApprovals",
       "List commands that wait for approval",
       "Those of the user of the token, which must be one that may approve.",
       {},
       {{"200", "The approvals", "ApprovalList"}},
       {}},
      {"/v1/approvals/{approval}",
       "post",
       "answerApproval",
       "Approve or deny a command",
       "Needs a token of the same user that may approve.",
       {"Approval"},
       {{"200", "The answered approval", "Approval"}},
       {"400", "404", "409"},
       "AnswerRequest",
       true},
      {.path = "/healthz",
       .method = "get",
       .id = "showHealth",
       .summary = "Check that it is alive",
       .description = "200 while the gateway runs.",
       .answers = {{"200", "It is alive", "Health"}},
       .open = true},
      {.path = "/readyz",
       .method = "get",
       .id = "showReadiness",
       .summary = "Check that it accepts work",
       .description = "503 while it stops, or while the target cannot be reached.",
       .answers = {{"200", "It accepts work", "Health"}},
       .errors = {"503"},
       .open = true},
      {.path = "/openapi.json",
       .method = "get",
       .id = "showOpenapi",
       .summary = "This document",
       .description = "OpenAPI 3.1. Everything but /mcp, which describes itself.",
       .answers = {{"200", "The document", "Document"}},
       .open = true},
      {"/metrics",
       "get",
       "showMetrics",
       "Metrics for Prometheus",
       "In the text format of Prometheus.",
       {},
       {{"200", "The metrics", "text/plain"}},
       {}},
  };
}

struct Tag {
  const char* name;
  const char* description;
};

constexpr auto kTags = std::to_array<Tag>({
    {"sandboxes", "Places where commands run"},
    {"execs", "Commands in sandboxes"},
    {"approvals", "Questions about commands, for people"},
    {"service", "The gateway itself"},
});

// The last of them that the path names; the gateway itself if it names none.
const char* tag_of(std::string_view path) {
  const char* name = "service";
  for (const Tag& tag : kTags) {
    if (path.contains("/" + std::string(tag.name))) name = tag.name;
  }
  return name;
}

json::array tags() {
  json::array list;
  for (const Tag& tag : kTags) {
    list.push_back({{"name", tag.name}, {"description", tag.description}});
  }
  return list;
}

json::object reference(std::string_view kind, std::string_view name) {
  return {{"$ref", "#/components/" + std::string(kind) + "/" + std::string(name)}};
}

// A schema by its name, or another media type: "text/plain".
json::object content(std::string_view name) {
  if (name.contains('/')) return {{name, {{"schema", {{"type", "string"}}}}}};
  return {{"application/json", {{"schema", reference("schemas", name)}}}};
}

json::object described(const Operation& one) {
  json::object object{{"operationId", one.id},
                      {"tags", json::array{tag_of(one.path)}},
                      {"summary", one.summary},
                      {"description", one.description}};
  json::array parameters;
  for (const char* name : one.parameters) parameters.push_back(reference("parameters", name));
  if (!parameters.empty()) object["parameters"] = std::move(parameters);
  if (one.body != nullptr) {
    object["requestBody"] =
        json::object{{"required", one.needs_body}, {"content", content(one.body)}};
  }
  json::object responses;
  for (const SuccessAnswer& good : one.answers) {
    json::object response{{"description", good.says}};
    if (good.schema != nullptr) response["content"] = content(good.schema);
    responses[good.status] = std::move(response);
  }
  std::set<std::string_view> errors(one.errors.begin(), one.errors.end());
  errors.insert({"403", "500"});
  if (!one.open) errors.insert({"401", "429"});
  for (const std::string_view status : errors) responses[status] = reference("responses", "Error");
  object["responses"] = std::move(responses);
  if (one.open) object["security"] = json::array();
  return object;
}

json::object document() {
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "Talaria gateway"},
            {"version", "1"},
            {"description",
             "Sandboxes and commands in them. docs/reference/gateway-protocol.md says more."},
            {"contact", {{"name", "The operator of this gateway"}}},
            {"license", {{"name", "MIT"}, {"identifier", "MIT"}}}}},
          {"servers", json::array{json::object{{"url", "/"}, {"description", "This gateway"}}}},
          {"tags", tags()},
          {"security", json::array{json::object{{"token", json::array()}}}},
          {"paths", openapi_paths()},
          {"components", openapi_components()}};
}

}  // namespace

json::object openapi_paths() {
  json::object paths;
  for (const Operation& one : operations()) {
    json::value& path = paths[one.path];
    if (!path.is_object()) path = json::object();
    path.as_object()[one.method] = described(one);
  }
  return paths;
}

std::string openapi_document() {
  static const std::string text = to_line(document());
  return text;
}

}  // namespace talaria::front::gateway
