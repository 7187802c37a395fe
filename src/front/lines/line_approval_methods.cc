// Approvals: questions about commands, and their answers.
#include <array>
#include <string>

#include <boost/json/array.hpp>

#include "api/asio_approvals.h"
#include "front/approval_json.h"
#include "front/lines/line_methods.h"

namespace talaria::front::lines {
namespace {

Result<json::object> subscribe_approvals(MethodCall& call) {
  return call.services.approvals.subscribe(call.params.text("session_key"));
}

Result<json::object> unsubscribe_approvals(MethodCall& call) {
  return call.services.approvals.unsubscribe(call.params.text("session_key"));
}

Result<json::object> list_approvals(MethodCall& call) {
  const auto found = AsioApprovals(call.services.runtime).list(call.params.flag("all"));
  if (!found) return fail(found.error());
  json::array approvals;
  for (const QueuedApproval& one : *found) approvals.push_back(front::describe(one));
  return json::object{{"approvals", std::move(approvals)}};
}

// By ID, or the oldest of a session, or all of a session.
Task<Result<json::object>> answer_approval(MethodCall call) {
  const LineParams& params = call.params;
  const auto answer =
      read_answer(params.text("answer"), params.text("covers"), params.given_text("for"));
  if (!answer) co_return fail(answer.error());
  AsioApprovals approvals(call.services.runtime);
  if (const auto session_key = params.given_text("session_key")) {
    co_return json::object{
        {"answered", approvals.resolve(*session_key, *answer, params.flag("all"))}};
  }
  const auto id = params.given_text("id");
  if (!id) co_return fail(param_error("id", "expected a string"));
  const auto answered = co_await approvals.answer(*id, *answer);
  if (!answered) co_return fail(answered.error());
  co_return front::describe(*answered);
}

Result<json::object> set_yolo(MethodCall& call) {
  const auto set = AsioApprovals(call.services.runtime)
                       .set_yolo(call.params.text("session_key"), call.params.flag("on"));
  return set ? Result<json::object>(json::object()) : fail(set.error());
}

Result<json::object> clear_session(MethodCall& call) {
  AsioApprovals(call.services.runtime).clear_session(call.params.text("session_key"));
  return json::object();
}

constexpr auto kApprovalMethods = std::to_array<Method>({
    method_at_once("approvals.subscribe", "session_key:text", subscribe_approvals),
    method_at_once("approvals.unsubscribe", "session_key:text", unsubscribe_approvals),
    method_at_once("approvals.list", "all:flag", list_approvals),
    method_soon("approvals.answer",
                "id:name answer!:name covers:name for:name session_key:name all:flag",
                answer_approval),
    method_at_once("approvals.yolo", "session_key!:name on:flag", set_yolo),
    method_at_once("approvals.clear", "session_key!:name", clear_session),
});

}  // namespace

std::span<const Method> approval_methods() { return kApprovalMethods; }

}  // namespace talaria::front::lines
