// The routes about approvals, and those of operators.
#include <algorithm>

#include <boost/json/array.hpp>

#include "base/text.h"
#include "front/approval_json.h"
#include "front/gateway/mcp_http.h"
#include "front/gateway/openapi.h"
#include "front/gateway/request_fields.h"
#include "front/gateway/routes.h"

namespace talaria::front::gateway {
namespace {

namespace json = boost::json;

ServedResponse may_not(const GatewayCall& call) {
  if (call.from_command) {
    return error_response(403,
                          "a command cannot answer questions about commands: this request comes "
                          "from a process that a command of Talaria has started");
  }
  return error_response(403, "this token cannot approve commands (talaria token add --approve)");
}

// Whether it is about a command of this user, in a sandbox or by MCP. Other approvals of this home
// are answered with `talaria approve`.
bool is_own(Gateway& gateway, const GatewayCall& call, const QueuedApproval& question) {
  const std::string& session = question.request.session_key;
  return session == mcp_session_key(call.owner()) ||
         gateway.sandboxes().find(call.owner(), session).has_value();
}

}  // namespace

Task<ServedResponse> list_approvals(Gateway& gateway, GatewayCall& call) {
  if (!call.token.scope.approve) co_return may_not(call);
  const auto found = gateway.approvals().list();
  if (!found) co_return error_response(found.error());
  json::array list;
  for (const QueuedApproval& one : *found) {
    if (is_own(gateway, call, one)) list.push_back(describe(one));
  }
  co_return json_response(200, json::object{{"approvals", std::move(list)}});
}

Task<ServedResponse> answer_approval(Gateway& gateway, GatewayCall& call) {
  if (!call.token.scope.approve) co_return may_not(call);
  RequestFields fields(call.request.body);
  const std::string word = fields.text("answer");
  if (word != "once" && word != "session" && word != "always" && word != "deny") {
    fields.flawed("answer must be once, session, always or deny");
  }
  const std::string covers = fields.optional_text("covers").value_or("");
  const auto answer = read_answer(word, covers, fields.optional_text("for"));
  if (!answer) fields.flawed(answer.error().message());
  if (!fields.check()) co_return error_response(fields.check().error());
  const auto known = gateway.approvals().list(true);
  if (!known) co_return error_response(known.error());
  const bool there = std::ranges::any_of(*known, [&](const QueuedApproval& one) {
    return one.request.id == call.approval && is_own(gateway, call, one);
  });
  if (!there)
    co_return error_response(404,
                             "unknown approval request '" + sanitize_utf8(call.approval) + "'");
  const auto answered = co_await gateway.approvals().answer(call.approval, *answer);
  if (!answered) co_return error_response(answered.error());
  co_return json_response(200, describe(*answered));
}

Task<ServedResponse> show_health(Gateway& /*gateway*/, GatewayCall& /*call*/) {
  co_return json_response(200, json::object{{"status", "ok"}});
}

Task<ServedResponse> show_readiness(Gateway& gateway, GatewayCall& /*call*/) {
  if (gateway.stopping()) co_return error_response(503, "the gateway is stopping");
  if (const auto reached = co_await gateway.reach_target(); !reached) {
    co_return error_response(503, "the target does not answer: " + reached.error().message());
  }
  co_return json_response(200, json::object{{"status", "ready"}});
}

Task<ServedResponse> show_metrics(Gateway& gateway, GatewayCall& /*call*/) {
  co_return ServedResponse{.type = "text/plain; version=0.0.4", .body = gateway.metrics_text()};
}

Task<ServedResponse> show_openapi(Gateway& /*gateway*/, GatewayCall& /*call*/) {
  co_return ServedResponse{.body = openapi_document()};
}

}  // namespace talaria::front::gateway
