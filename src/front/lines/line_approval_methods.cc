// Approvals: questions about commands, and their answers.
#include <array>
#include <string>

#include <boost/json/array.hpp>

#include "api/asio_approvals.h"
#include "front/approval_json.h"
#include "front/lines/line_methods.h"
#include "front/unix_seconds.h"

namespace talaria::front::lines {
namespace {

Result<json::object> subscribe_approvals(MethodCall& call) {
  const LinePlaces& places = call.services.places;
  if (const auto may = places.may_approve(); !may) return fail(may.error());
  const std::string session_key = call.params.text("session_key");
  if (places.sees_all()) return call.services.approvals.subscribe(session_key);
  return call.services.approvals.watch(
      session_key, [&places](const std::string& key) { return places.may_see(key); });
}

Result<json::object> unsubscribe_approvals(MethodCall& call) {
  return call.services.approvals.unsubscribe(call.params.text("session_key"));
}

Result<json::object> list_approvals(MethodCall& call) {
  const LinePlaces& places = call.services.places;
  if (const auto may = places.may_approve(); !may) return fail(may.error());
  const auto found = AsioApprovals(call.services.runtime).list(call.params.flag("all"));
  if (!found) return fail(found.error());
  json::array approvals;
  for (const QueuedApproval& one : *found) {
    if (places.may_see(one.request.session_key)) approvals.push_back(front::describe(one));
  }
  return json::object{{"approvals", std::move(approvals)}};
}

// By ID, or the oldest of a session, or all of a session.
Task<Result<json::object>> answer_approval(MethodCall call) {
  const LineParams& params = call.params;
  auto answer = read_answer(params.text("answer"), params.text("covers"), params.given_text("for"));
  if (!answer) co_return fail(answer.error());
  answer->words = params.text("words");
  if (!answer->words.empty() && answer->word != "deny") {
    co_return fail(param_error("words", "they go with the answer deny only"));
  }
  AsioApprovals approvals(call.services.runtime);
  const LinePlaces& places = call.services.places;
  if (const auto may = places.may_approve(); !may) co_return fail(may.error());
  if (const auto session_key = params.given_text("session_key");
      session_key && !places.may_see(*session_key)) {
    co_return json::object{{"answered", 0}};
  }
  if (const auto session_key = params.given_text("session_key")) {
    co_return json::object{
        {"answered", approvals.resolve(*session_key, *answer, params.flag("all"))}};
  }
  const auto id = params.given_text("id");
  if (!id) co_return fail(param_error("id", "expected a string"));
  if (!places.sees_all()) {
    const auto known = approvals.find(*id);
    if (!known) co_return fail(known.error());
    if (!places.may_see(known->request.session_key)) {
      co_return fail(ErrorKind::not_found, "unknown approval request '" + *id + "'");
    }
  }
  const auto answered = co_await approvals.answer(*id, *answer);
  if (!answered) co_return fail(answered.error());
  co_return front::describe(*answered);
}

Task<Result<CommandToJudge>> command_to_judge(MethodCall& call) {
  auto text = command_of(call.params);
  if (!text) co_return fail(text.error());
  auto variables = variables_of(call.params);
  if (!variables) co_return fail(variables.error());
  const auto place = co_await place_of(call);
  if (!place) co_return fail(place.error());
  variables->insert(variables->begin(), place->variables.begin(), place->variables.end());
  co_return CommandToJudge{.text = std::move(*text),
                           .task = place->task,
                           .session_key = call.params.text("session_key", place->session_key),
                           .workdir = call.params.given_text("cwd"),
                           .variables = std::move(*variables),
                           .stdin_data = call.params.given_text("stdin")};
}

std::string_view verdict_name(ApprovalPreview::Verdict verdict) {
  switch (verdict) {
    case ApprovalPreview::Verdict::allowed:
      return "allowed";
    case ApprovalPreview::Verdict::ask:
      return "ask";
    case ApprovalPreview::Verdict::denied:
      break;
  }
  return "denied";
}

Task<Result<json::object>> judge_command(MethodCall call) {
  auto command = co_await command_to_judge(call);
  if (!command) co_return fail(command.error());
  const auto preview = co_await AsioApprovals(call.services.runtime).judge(std::move(*command));
  if (!preview) co_return fail(preview.error());
  json::object answer{{"verdict", verdict_name(preview->verdict)}};
  if (!preview->rules.empty()) {
    answer["rule"] = preview->rules.front();
    answer["rules"] = json::array(preview->rules.begin(), preview->rules.end());
  }
  if (!preview->description.empty()) answer["description"] = preview->description;
  if (!preview->message.empty()) answer["message"] = preview->message;
  if (preview->verdict == ApprovalPreview::Verdict::ask) {
    answer["offers"] = shown_offers(preview->offers);
  }
  co_return answer;
}

json::object shown_grant(const ApprovalGrant& grant) {
  json::object shown{{"id", grant.id},          {"rule", grant.rule},
                     {"covers", grant.covers},  {"sentence", grant.sentence},
                     {"target", grant.target},  {"granted", unix_seconds(grant.granted)},
                     {"grantor", grant.grantor}};
  if (grant.session_key) shown["session_key"] = *grant.session_key;
  if (grant.task) shown["task"] = *grant.task;
  if (grant.directory) shown["directory"] = *grant.directory;
  if (grant.until) shown["until"] = unix_seconds(*grant.until);
  return shown;
}

Task<Result<json::object>> grant_command(MethodCall call) {
  if (const auto may = call.services.places.may_approve(); !may) co_return fail(may.error());
  auto answer = read_answer("always", call.params.text("covers"), call.params.given_text("for"));
  if (!answer) co_return fail(answer.error());
  auto command = co_await command_to_judge(call);
  if (!command) co_return fail(command.error());
  const auto granted =
      co_await AsioApprovals(call.services.runtime).grant(std::move(*command), std::move(*answer));
  if (!granted) co_return fail(granted.error());
  json::array all;
  for (const ApprovalGrant& one : *granted) all.push_back(shown_grant(one));
  co_return json::object{{"grant", all.front()}, {"grants", all}};
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
                "id:name answer!:name covers:name for:name session_key:name all:flag words:text",
                answer_approval),
    method_soon("approvals.judge",
                "command:text argv:texts task:text sandbox:text cwd:text env:map home:text "
                "stdin:text session_key:text",
                judge_command),
    method_soon("approvals.grant",
                "command:text argv:texts task:text sandbox:text cwd:text env:map home:text "
                "stdin:text session_key:text covers:name for:name",
                grant_command),
    of_home(method_at_once("approvals.yolo", "session_key!:name on:flag", set_yolo)),
    of_home(method_at_once("approvals.clear", "session_key!:name", clear_session)),
});

}  // namespace

std::span<const Method> approval_methods() { return kApprovalMethods; }

}  // namespace talaria::front::lines
