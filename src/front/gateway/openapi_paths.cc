// Every route of the gateway and what it may answer, as a table.
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>

#include "front/gateway/openapi.h"
#include "json/json_text.h"

namespace talaria::front::gateway {
namespace {

namespace json = boost::json;

struct GoodAnswer {
  const char* status;
  const char* says;
  const char* schema;  // by its name among the components
};

struct Operation {
  const char* path;
  const char* method;
  const char* id;
  const char* summary;
  std::vector<const char*> parameters;
  std::vector<GoodAnswer> answers;
  std::vector<const char*> errors;  // their statuses
  const char* body = nullptr;       // the schema of what is sent; null: nothing is
  bool needs_body = false;
  bool open = false;  // without a token
};

constexpr const char* kOne = "/v1/sandboxes/{sandbox}";
constexpr const char* kExecs = "/v1/sandboxes/{sandbox}/execs";
constexpr const char* kExec = "/v1/sandboxes/{sandbox}/execs/{exec}";

std::vector<Operation> operations() {
  const std::vector<const char*> of_exec{"Sandbox", "Exec"};
  return {
      {.path = "/v1/sandboxes",
       .method = "post",
       .id = "createSandbox",
       .summary = "Make a sandbox",
       .parameters = {"IdempotencyKey"},
       .answers = {{"200", "The sandbox of an earlier request with the same key", "Sandbox"},
                   {"201", "A new sandbox", "Sandbox"}},
       .errors = {"400", "401", "403", "409", "429", "500", "502", "503"},
       .body = "SandboxRequest"},
      {.path = "/v1/sandboxes",
       .method = "get",
       .id = "listSandboxes",
       .summary = "One's own that live",
       .answers = {{"200", "All of them", "SandboxList"}},
       .errors = {"401", "403", "429", "500"}},
      {.path = kOne,
       .method = "get",
       .id = "showSandbox",
       .summary = "One of them",
       .parameters = {"Sandbox"},
       .answers = {{"200", "It", "Sandbox"}},
       .errors = {"401", "403", "404", "429", "500"}},
      {.path = "/v1/sandboxes/{sandbox}/terminate",
       .method = "post",
       .id = "terminateSandbox",
       .summary = "End it with all that runs in it",
       .parameters = {"Sandbox"},
       .answers = {{"200", "It is gone", "Terminated"}},
       .errors = {"400", "401", "403", "404", "429", "500", "503"},
       .body = "TerminateRequest"},
      {.path = kExecs,
       .method = "post",
       .id = "startExec",
       .summary = "Run a command, once for each execId",
       .parameters = {"Sandbox", "Wait"},
       .answers = {{"200", "It has ended", "Exec"}, {"202", "It goes on", "Exec"}},
       .errors = {"400", "401", "403", "404", "429", "500", "502", "503"},
       .body = "ExecRequest",
       .needs_body = true},
      {.path = kExecs,
       .method = "get",
       .id = "listExecs",
       .summary = "All of a sandbox, without their output",
       .parameters = {"Sandbox"},
       .answers = {{"200", "All of them", "ExecList"}},
       .errors = {"401", "403", "404", "429", "500"}},
      {.path = kExec,
       .method = "get",
       .id = "pollExec",
       .summary = "How it is",
       .parameters = {"Sandbox", "Exec", "Wait"},
       .answers = {{"200", "It", "Exec"}},
       .errors = {"400", "401", "403", "404", "429", "500"}},
      {.path = "/v1/sandboxes/{sandbox}/execs/{exec}/cancel",
       .method = "post",
       .id = "cancelExec",
       .summary = "End it",
       .parameters = of_exec,
       .answers = {{"200", "It had ended before", "Exec"},
                   {"202", "It is being ended", "Cancelling"}},
       .errors = {"401", "403", "404", "429", "500"}},
      {.path = "/v1/sandboxes/{sandbox}/execs/{exec}/stdin",
       .method = "post",
       .id = "writeExec",
       .summary = "Give it input",
       .parameters = of_exec,
       .answers = {{"200", "All of it was taken", "Taken"}},
       .errors = {"400", "401", "403", "404", "409", "429", "500", "502", "503"},
       .body = "InputRequest"},
      {.path = "/v1/sandboxes/{sandbox}/execs/{exec}/signal",
       .method = "post",
       .id = "signalExec",
       .summary = "Send a signal to its tree",
       .parameters = of_exec,
       .answers = {{"200", "It was sent", "Sent"}},
       .errors = {"400", "401", "403", "404", "409", "429", "500", "502", "503"},
       .body = "SignalRequest",
       .needs_body = true},
      {.path = "/v1/sandboxes/{sandbox}/execs/{exec}/output",
       .method = "get",
       .id = "streamExec",
       .summary = "Its output as it comes",
       .parameters = {"Sandbox", "Exec", "From", "Encoding", "LastEventId"},
       .answers = {{"200", "Events: output, gap, end", "text/event-stream"}},
       .errors = {"400", "401", "403", "404", "429", "500"}},
      {.path = "/v1/approvals",
       .method = "get",
       .id = "listApprovals",
       .summary = "Commands that wait for somebody",
       .answers = {{"200", "All of them", "ApprovalList"}},
       .errors = {"401", "403", "429", "500"}},
      {.path = "/v1/approvals/{approval}",
       .method = "post",
       .id = "answerApproval",
       .summary = "Let one run, or not",
       .parameters = {"Approval"},
       .answers = {{"200", "The question, answered", "Approval"}},
       .errors = {"400", "401", "403", "404", "409", "429", "500"},
       .body = "AnswerRequest",
       .needs_body = true},
      {.path = "/healthz",
       .method = "get",
       .id = "showHealth",
       .summary = "Whether it lives",
       .answers = {{"200", "It does", "Health"}},
       .errors = {"403", "500"},
       .open = true},
      {.path = "/readyz",
       .method = "get",
       .id = "showReadiness",
       .summary = "Whether it takes work",
       .answers = {{"200", "It does", "Health"}},
       .errors = {"403", "500", "503"},
       .open = true},
      {.path = "/openapi.json",
       .method = "get",
       .id = "showOpenapi",
       .summary = "This document",
       .answers = {{"200", "It", "Document"}},
       .errors = {"403", "500"},
       .open = true},
      {.path = "/metrics",
       .method = "get",
       .id = "showMetrics",
       .summary = "For Prometheus",
       .answers = {{"200", "Figures", "text/plain"}},
       .errors = {"401", "403", "429", "500"}},
  };
}

json::object reference(std::string_view kind, std::string_view name) {
  return {{"$ref", "#/components/" + std::string(kind) + "/" + std::string(name)}};
}

// JSON of a schema; or what is none, by the name of its type: "text/plain".
json::object content(std::string_view name) {
  if (name.contains('/')) return {{name, {{"schema", {{"type", "string"}}}}}};
  return {{"application/json", {{"schema", reference("schemas", name)}}}};
}

json::object described(const Operation& one) {
  json::object told{{"operationId", one.id}, {"summary", one.summary}};
  json::array parameters;
  for (const char* name : one.parameters) parameters.push_back(reference("parameters", name));
  if (!parameters.empty()) told["parameters"] = std::move(parameters);
  if (one.body != nullptr) {
    told["requestBody"] =
        json::object{{"required", one.needs_body}, {"content", content(one.body)}};
  }
  json::object responses;
  for (const GoodAnswer& good : one.answers) {
    responses[good.status] =
        json::object{{"description", good.says}, {"content", content(good.schema)}};
  }
  for (const char* status : one.errors) responses[status] = reference("responses", "Error");
  told["responses"] = std::move(responses);
  if (one.open) told["security"] = json::array();
  return told;
}

json::object document() {
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "Talaria gateway"},
            {"version", "1"},
            {"description",
             "Sandboxes and commands in them. docs/reference/gateway-protocol.md says more."}}},
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
