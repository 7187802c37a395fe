#include "front/lines/line_methods.h"

#include <algorithm>
#include <array>
#include <string>

#include <boost/json/array.hpp>

#include "api/asio_approvals.h"
#include "api/asio_processes.h"
#include "base/message.h"
#include "base/text.h"
#include "front/approval_json.h"
#include "front/lines/line_events.h"
#include "front/totals_json.h"
#include "front/unix_seconds.h"
#include "json/fields.h"

namespace talaria::front::lines {
namespace {

Result<std::string> text_of(const json::object& params, std::string_view name) {
  const json::value* value = params.if_contains(name);
  if (!value || !value->is_string() || value->get_string().empty()) {
    return fail(ErrorKind::bad_request, "params." + std::string(name) + ": expected a string");
  }
  return std::string(value->get_string());
}

json::object describe(const EnvironmentInfo& environment) {
  json::array tasks(environment.tasks.begin(), environment.tasks.end());
  return {{"id", environment.id},
          {"target", environment.target},
          {"transport", environment.transport},
          {"place", environment.place},
          {"persistent", environment.persistent},
          {"tasks", std::move(tasks)},
          {"last_use", unix_seconds(environment.last_use)},
          {"calls", environment.calls}};
}

Task<Result<json::object>> list(AsioRuntime& runtime, json::object) {
  json::array environments;
  for (const EnvironmentInfo& one : runtime.environments()) environments.push_back(describe(one));
  json::object answer{{"environments", std::move(environments)}};
  const EnvironmentTotals totals = co_await runtime.environment_totals();
  add_totals(answer, totals);
  co_return answer;
}

Task<Result<json::object>> remove(AsioRuntime& runtime, json::object params) {
  const Removal how{.everything = flag_field(params, "force")};
  if (flag_field(params, "all")) {
    co_return json::object{{"removed", co_await runtime.remove_all_environments(how)}};
  }
  Result<std::string> id = text_of(params, "id");
  if (!id) co_return fail(id.error());
  const Result<void> removed = co_await runtime.remove_environment(std::move(*id), how);
  if (!removed) co_return fail(removed.error());
  co_return json::object{{"removed", 1}};
}

Result<json::object> override_task(AsioRuntime& runtime, const json::object& params) {
  const Result<std::string> task = text_of(params, "task");
  if (!task) return fail(task.error());
  const json::value* overrides = params.if_contains("overrides");
  if (overrides && overrides->is_null()) {
    runtime.clear_override(*task);
    return json::object();
  }
  if (!overrides || !overrides->is_object()) {
    return fail(ErrorKind::bad_request,
                "params.overrides: expected an object, for example {\"cwd\":\"/srv\"}, or null");
  }
  if (const Result<void> stored = runtime.override_task(*task, overrides->get_object()); !stored) {
    return fail(stored.error());
  }
  return json::object();
}

Result<json::object> pass_through(AsioRuntime& runtime, const json::object& params) {
  const json::value* names = params.if_contains("names");
  if (!names || !names->is_array()) {
    return fail(ErrorKind::bad_request, "params.names: expected a list of variable names");
  }
  json::array refused;
  for (const json::value& name : names->get_array()) {
    const bool is_text = name.is_string();
    const Result<void> passes =
        is_text ? runtime.pass_through(name.get_string())
                : Result<void>(fail(ErrorKind::bad_request, "expected a string"));
    if (!passes) refused.push_back({{"name", name}, {"reason", passes.error().message()}});
  }
  return json::object{{"refused", std::move(refused)}};
}

Result<json::object> share_files(AsioRuntime& runtime, const json::object& params) {
  const json::value* files = params.if_contains("files");
  if (!files || !files->is_array()) {
    return fail(ErrorKind::bad_request,
                "params.files: expected a list of paths below the home, for example "
                "[\"token.json\", {\"path\":\"google/key\"}]");
  }
  json::array missing;
  for (const RefusedFile& one : runtime.share_files(files->get_array())) {
    missing.push_back({{"path", one.path}, {"reason", one.reason}});
  }
  return json::object{{"missing", std::move(missing)}};
}

Result<json::object> list_approvals(AsioRuntime& runtime, const json::object& params) {
  const auto found = AsioApprovals(runtime).list(flag_field(params, "all"));
  if (!found) return fail(found.error());
  json::array approvals;
  for (const QueuedApproval& one : *found) approvals.push_back(front::describe(one));
  return json::object{{"approvals", std::move(approvals)}};
}

// By ID, or the oldest of a session, or all of a session.
Task<Result<json::object>> answer_approval(AsioRuntime& runtime, json::object params) {
  const auto choice = text_of(params, "answer");
  if (!choice) co_return fail(choice.error());
  for (const char* name : {"covers", "for"}) {
    if (!params.contains(name)) continue;
    if (const auto said = text_of(params, name); !said) co_return fail(said.error());
  }
  const auto lasts =
      params.contains("for") ? std::optional(text_field(params, "for")) : std::nullopt;
  const auto answer = read_answer(*choice, text_field(params, "covers"), lasts);
  if (!answer) co_return fail(answer.error());
  if (!params.contains("session_key")) {
    const auto id = text_of(params, "id");
    if (!id) co_return fail(id.error());
    const auto answered = co_await AsioApprovals(runtime).answer(*id, *answer);
    if (!answered) co_return fail(answered.error());
    co_return front::describe(*answered);
  }
  const auto session_key = text_of(params, "session_key");
  if (!session_key) co_return fail(session_key.error());
  const bool all = flag_field(params, "all");
  co_return json::object{{"answered", AsioApprovals(runtime).resolve(*session_key, *answer, all)}};
}

Result<json::object> set_yolo(AsioRuntime& runtime, const json::object& params) {
  const auto session_key = text_of(params, "session_key");
  if (!session_key) return fail(session_key.error());
  const auto set = AsioApprovals(runtime).set_yolo(*session_key, flag_field(params, "on"));
  return set ? Result<json::object>(json::object()) : fail(set.error());
}

Result<json::object> clear_session(AsioRuntime& runtime, const json::object& params) {
  const auto session_key = text_of(params, "session_key");
  if (!session_key) return fail(session_key.error());
  AsioApprovals(runtime).clear_session(*session_key);
  return json::object();
}

struct LineMethod {
  std::string_view name;
  Result<json::object> (*answer)(AsioRuntime&, const json::object& params);
};

constexpr auto kMethods = std::to_array<LineMethod>({{"env.override", override_task},
                                                     {"env.pass_through", pass_through},
                                                     {"files.share", share_files},
                                                     {"approvals.list", list_approvals},
                                                     {"approvals.yolo", set_yolo},
                                                     {"approvals.clear", clear_session}});

// The parameters of each method, separated by blanks.
struct MethodParams {
  std::string_view method;
  std::string_view names;
};

constexpr auto kParams = std::to_array<MethodParams>({
    {"env.list", ""},
    {"env.override", "task overrides"},
    {"env.pass_through", "names"},
    {"env.remove", "id all force"},
    {"files.share", "files"},
    {"processes.kill_all", "task all"},
    {"approvals.list", "all"},
    {"approvals.answer", "id answer covers for session_key all"},
    {"approvals.yolo", "session_key on"},
    {"approvals.clear", "session_key"},
    {"approvals.subscribe", "session_key"},
    {"approvals.unsubscribe", "session_key"},
    {"events.subscribe", "consumer session_key from ack"},
    {"events.unsubscribe", "consumer"},
    {"events.ack", "consumer id"},
});

Task<Result<json::object>> kill_all(AsioRuntime& runtime, json::object params) {
  KillAll which;
  if (params.contains("task")) {
    Result<std::string> task = text_of(params, "task");
    if (!task) co_return fail(task.error());
    which.task = std::move(*task);
  }
  which.include_keep = flag_field(params, "all");
  const auto killed = co_await AsioProcesses(runtime).kill_all(std::move(which));
  if (!killed) co_return fail(killed.error());
  std::size_t ended = 0;
  std::size_t survivors = 0;
  json::array errors;
  for (const KilledOne& one : killed->processes) {
    if (one.was_running && !one.error) ++ended;
    survivors += one.survivors.size();
    if (one.error) errors.emplace_back(one.id + ": " + one.error->message());
  }
  for (const Error& error : killed->away) errors.emplace_back(error.message());
  json::object answer{{"killed", ended}, {"survivors", survivors}};
  if (!errors.empty()) answer["errors"] = std::move(errors);
  co_return answer;
}

// Methods that take time.
struct SlowMethod {
  std::string_view name;
  Task<Result<json::object>> (*answer)(AsioRuntime&, json::object params);
};

constexpr auto kSlowMethods = std::to_array<SlowMethod>({{"env.list", list},
                                                         {"env.remove", remove},
                                                         {"processes.kill_all", kill_all},
                                                         {"approvals.answer", answer_approval},
                                                         {"events.ack", acknowledge_event}});

std::string method_names() {
  std::string names;
  for (const SlowMethod& method : kSlowMethods) names += std::string(method.name) + ", ";
  for (const LineMethod& method : kMethods) names += std::string(method.name) + ", ";
  return names + "approvals.subscribe, approvals.unsubscribe, events.subscribe, events.unsubscribe";
}

}  // namespace

Result<void> check_params(const AskMethod& ask) {
  const auto found = std::ranges::find(kParams, ask.method, &MethodParams::method);
  if (found == kParams.end()) return {};  // the method is unknown, which is reported as such
  for (const auto& param : ask.params) {
    if (has_word(found->names, param.key())) continue;
    return fail(ErrorKind::bad_request,
                "params: unknown key \"" + sanitize_utf8(first_bytes(param.key(), kShownKeyBytes)) +
                    "\"; " + ask.method +
                    (found->names.empty() ? " has none" : " has " + listed_words(found->names)));
  }
  return {};
}

std::optional<Result<json::object>> answer_method(AsioRuntime& runtime, const AskMethod& ask) {
  if (std::ranges::find(kSlowMethods, ask.method, &SlowMethod::name) != kSlowMethods.end()) {
    return std::nullopt;
  }
  const auto found = std::ranges::find(kMethods, ask.method, &LineMethod::name);
  if (found != kMethods.end()) return found->answer(runtime, ask.params);
  return fail(ErrorKind::not_found,
              "unknown method '" + ask.method + "'; expected one of " + method_names());
}

Task<Result<json::object>> answer_later(AsioRuntime& runtime, AskMethod ask) {
  const auto found = std::ranges::find(kSlowMethods, ask.method, &SlowMethod::name);
  return found->answer(runtime, std::move(ask.params));
}

}  // namespace talaria::front::lines
