#include "front/mcp/mcp_session.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/limits.h"
#include "base/result.h"
#include "front/mcp/background_calls.h"
#include "front/mcp/conformance_handler.h"
#include "front/mcp/mcp_elicitation.h"
#include "front/mcp/mcp_resources.h"
#include "front/mcp/process_news.h"
#include "front/mcp/request_state.h"
#include "front/mcp/tool_schemas.h"
#include "json/fields.h"

namespace talaria::front::mcp {
namespace {

using Clock = std::chrono::steady_clock;

// How often progress is reported.
constexpr std::chrono::milliseconds kHeartbeat{1'000};
// How long a person may take to answer a form.
constexpr std::chrono::minutes kFormPatience{5};
// How often to check for an answer from another program while a form is open.
constexpr std::chrono::milliseconds kFormLook{500};
// How many approvals one call may request: a command can be judged again after its aliases changed.
constexpr int kMaxQuestions = 4;
// Minimum time between notifications about one resource.
constexpr std::chrono::milliseconds kChangePause{250};

std::string take_text(json::object& arguments, std::string_view name) {
  std::string text = text_field(arguments, name);
  arguments.erase(name);
  return text;
}

// How long to wait for a script; 0: no limit.
std::chrono::milliseconds take_yield(json::object& arguments) {
  const json::value* value = arguments.if_contains("yield_ms");
  const bool said = value && value->is_int64() && value->get_int64() >= 0;
  const std::int64_t wait = said ? value->get_int64() : kDefaultYieldMs;
  arguments.erase("yield_ms");
  return std::min<std::chrono::milliseconds>(std::chrono::milliseconds(wait), kMaxDuration);
}

std::chrono::milliseconds elapsed_since(Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - time);
}

bool is_wait(const json::object& arguments) {
  const json::value* action = arguments.if_contains("action");
  return action && *action == "wait";
}

bool asks_for_news(const json::object& arguments) {
  return arguments.contains("notify_on_complete") || arguments.contains("watch_patterns");
}

// Defaults that answer the client before its timeout.
void fill_in(const std::string& tool, json::object& arguments) {
  if (tool == "terminal" && !arguments.contains("yield_ms")) {
    arguments["yield_ms"] = kDefaultYieldMs;
  }
  if (tool == "process" && is_wait(arguments) && !arguments.contains("timeout")) {
    arguments["timeout"] = kDefaultWaitSeconds;
  }
}

}  // namespace

void add_mcp_settings(Options& options) {
  options.settings.push_back({"approvals.queue", "true", "talaria mcp"});
  options.settings.push_back({"approvals.wait", "false", "talaria mcp"});
}

McpSession::McpSession(const asio::any_io_executor& executor, AsioRuntime& runtime,
                       const McpOffer& offer, const RequestState& state, McpPrincipal principal,
                       std::function<void(const McpSend&)> send)
    : executor_(executor),
      runtime_(runtime),
      approvals_(runtime),
      processes_(runtime),
      offer_(offer),
      state_(state),
      scope_(runtime, std::move(principal)),
      send_(std::move(send)),
      server_(offer),
      tasks_(executor) {}

// Messages.

void McpSession::take(std::string_view message, bool may_ask) {
  if (closed_) return;
  std::vector<McpAction> actions = server_.take(message);
  for (McpAction& action : actions) {
    auto* const call = std::get_if<McpCall>(&action);
    if (call && !call->request.modern && !may_ask) call->request.capabilities.clear();
  }
  perform(std::move(actions));
}

void McpSession::give_up(const std::string& key) { perform(server_.give_up(key)); }

void McpSession::abandon(const std::string& key) {
  if (const auto found = calls_.find(key); found != calls_.end()) found->second->abandoned = true;
}

void McpSession::perform(std::vector<McpAction> actions) {
  for (McpAction& action : actions) {
    if (auto* call = std::get_if<McpCall>(&action)) {
      take_call(std::move(*call));
    } else if (auto* wanted = std::get_if<McpRead>(&action)) {
      take_read(std::move(*wanted));
    } else if (const auto* cancel = std::get_if<McpCancel>(&action)) {
      end_call(cancel->key);
    } else if (auto* elicited = std::get_if<McpElicited>(&action)) {
      take_answer(std::move(*elicited));
    } else if (const auto* change = std::get_if<McpWatch>(&action)) {
      set_watch(*change);
    } else if (const auto* other = std::get_if<McpOther>(&action)) {
      send(server_.answer(other->request.key, offer_.handler->other(*other)));
    } else {
      send(std::get<McpSend>(action));
    }
  }
  resume();
}

void McpSession::send(const std::optional<McpSend>& message) {
  if (message && !closed_) send_(*message);
}

// Ending.

void McpSession::close() {
  for (const McpSend& message : server_.end_subscriptions()) send(message);
  closed_ = true;
  queue_.clear();
  while (!calls_.empty()) end_call(std::string(calls_.begin()->first));
  for (const auto& [uri, cancel] : watches_) cancel.cancel();
}

// Starts `task`; ended() waits for it.
void McpSession::start(Task<void> task) { tasks_.start(run_and_notify(std::move(task))); }

Task<void> McpSession::run_and_notify(Task<void> task) {
  co_await std::move(task);
  if (on_change_) on_change_();
}

// Calls.

void McpSession::take_call(McpCall call) {
  auto under_way = std::make_shared<UnderWay>();
  calls_[call.request.key] = under_way;
  const CallQueue::Kind kind = CallQueue::kind_of_tool(call.tool);
  const std::size_t bytes = call.bytes;
  queue_.add({kind, bytes, [this, call = std::move(call), under_way]() mutable {
                return run_call(std::move(call), std::move(under_way));
              }});
}

void McpSession::take_read(McpRead wanted) {
  auto under_way = std::make_shared<UnderWay>();
  calls_[wanted.request.key] = under_way;
  const std::size_t bytes = wanted.bytes;
  queue_.add(
      {CallQueue::Kind::read, bytes, [this, wanted = std::move(wanted), under_way]() mutable {
         return read(std::move(wanted), std::move(under_way));
       }});
}

void McpSession::resume() {
  if (!unreported_changes_.empty() && !queue_.is_held()) {
    for (const std::string& uri : std::exchange(unreported_changes_, {})) report_change(uri);
  }
  queue_.resume();
}

void McpSession::end_call(const std::string& key) {
  const auto found = calls_.find(key);
  if (found == calls_.end()) return;
  const CallPointer call = std::move(found->second);
  calls_.erase(found);
  call->unwanted = true;
  call->heartbeat.notify_all();
  call->answered.notify_all();
  call->cancel.cancel();
}

Task<void> McpSession::run_call(McpCall call, CallPointer under_way) {
  if (under_way->unwanted) co_return;
  const std::string key = call.request.key;
  if (call.request.progress_token && !offer_.handler) {
    start(report_progress(key, call.tool, under_way));
  }
  McpAnswer result =
      offer_.handler ? co_await handled(call, under_way) : co_await result_of(call, under_way);
  under_way->ended = true;
  under_way->heartbeat.notify_all();
  if (under_way->unwanted) co_return;
  calls_.erase(key);
  send(server_.answer(key, std::move(result)));
}

Task<void> McpSession::report_progress(std::string key, std::string tool, CallPointer call) {
  const Clock::time_point began = Clock::now();
  for (;;) {
    co_await call->heartbeat.wait_for(kHeartbeat);
    if (call->ended || call->unwanted) co_return;
    const auto elapsed = elapsed_since(began);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed);
    std::string message = tool + " has been running for " + std::to_string(seconds.count()) + " s";
    if (!call->printed.empty()) message += "; its last output:\n" + call->printed;
    send(server_.progress(key, static_cast<double>(elapsed.count()) / 1000, message));
  }
}

// Asks for approval if needed, and if the client supports it.
Task<McpAnswer> McpSession::result_of(const McpCall& call, CallPointer under_way) {
  const Responses responses = co_await take_responses(call);
  if (responses == Responses::invalid) {
    co_return std::unexpected(RpcError{
        kRpcInvalidParams,
        "Invalid params: requestState is not for this call, or too old; call again without it"});
  }
  bool declined = responses == Responses::declined;
  for (int asked = 0;; ++asked) {
    Result<json::object> answer = co_await call_tool(call, under_way);
    if (!answer) co_return tool_error(answer.error().message());
    const std::optional<std::string> question = pending_approval(*answer);
    if (under_way->unwanted) co_return tool_result(call.tool, std::move(*answer));
    if (!question) co_return tool_result(call.tool, with_news_for(call, std::move(*answer)));

    const bool can_ask = can_elicit(call.request) && scope_.principal().may_answer && !declined &&
                         asked < kMaxQuestions;
    if (!can_ask) {
      co_return tool_result(call.tool,
                            with_how_to_approve(std::move(*answer), *question, declined));
    }
    const auto open = open_question(*question);
    if (!open) continue;  // it was answered just now
    json::object form = approval_form(open->request);
    if (call.request.modern) {
      co_return input_required(std::move(form), state_.make(scope_.principal().session_key,
                                                            call.tool, call.arguments, *question));
    }
    const Clock::time_point sent = Clock::now();
    const auto said =
        co_await ask_client(call.request.key, "elicitation/create", std::move(form), under_way,
                            [this, id = *question] { return !open_question(id); });
    // If another answer was first, the next call returns its effect.
    const bool settled =
        co_await take_form(*question, answer_in(said, elapsed_since(sent)), declined);
    if (!settled && (under_way->unwanted || open_question(*question))) {
      co_return tool_result(call.tool,
                            with_how_to_approve(std::move(*answer), *question, declined));
    }
  }
}

// False: the question is still open, as far as the client is concerned.
Task<bool> McpSession::take_form(std::string question, std::optional<ClientAnswer> said,
                                 bool& declined) {
  declined = said && said->declined;
  if (!said || declined) co_return false;
  const auto answered = co_await approvals_.answer(std::move(question), said->answer);
  co_return answered.has_value();
}

Task<McpAnswer> McpSession::handled(const McpCall& call, CallPointer under_way) {
  const std::string key = call.request.key;
  const McpMeans means{
      .progress = [this, key](double value,
                              double total) { send(server_.progress(key, value, "", total)); },
      .log =
          [this, key, &call](std::string_view text) {
            const std::string& level = call.request.log_level;
            const bool wanted = call.request.modern
                                    ? level == "debug" || level == "info"
                                    : level.empty() || level == "debug" || level == "info";
            if (!wanted) return;
            send(server_.notify(key, "notifications/message", {{"level", "info"}, {"data", text}}));
          },
      .ask =
          [this, key, under_way](std::string method, json::object params) {
            return ask_client(key, std::move(method), std::move(params), under_way);
          },
      .state = state_,
      .principal = scope_.principal().session_key};
  co_return co_await offer_.handler->call(call, means);
}

json::object McpSession::with_news_for(const McpCall& call, json::object answer) {
  if (!news_) return answer;
  const std::string process =
      call.tool == "process" ? text_field(call.arguments, "session_id") : "";
  return with_news(news_->take(process), std::move(answer));
}

Task<Result<json::object>> McpSession::call_tool(const McpCall& call, CallPointer under_way) {
  json::object arguments = call.arguments;
  const json::value* task = arguments.if_contains("task");
  if (task && !task->is_string() && !task->is_null()) {
    co_return fail(ErrorKind::bad_request, "task: expected a string");
  }
  fill_in(call.tool, arguments);
  CallContext context = scope_.context_for(take_text(arguments, "task"));
  context.variables = call.request.variables;
  if (call.request.progress_token) {
    context.on_progress = [under_way](std::string_view text) { under_way->printed = text; };
  }
  if (news_ && (asks_for_news(arguments) || news_->has_memory())) news_->follow(context.task);
  const std::string process = call.tool == "process" ? text_field(arguments, "session_id") : "";
  if (background_ && BackgroundCalls::is_handle(process)) {
    co_return co_await background_->look(scope_.owner(), std::move(arguments), under_way->answered);
  }
  if (!co_await scope_.is_own(process)) {
    co_return json::object{{"status", "not_found"}, {"error", "No process with ID " + process}};
  }
  if (call.tool == "execute_code") {
    const std::chrono::milliseconds wait = take_yield(arguments);
    if (background_ && wait.count() > 0) {
      auto answer =
          co_await background_->call(scope_.owner(), call.tool, std::move(arguments), context,
                                     under_way->cancel, wait, under_way->answered);
      if (answer && under_way->is_unread()) co_await kill_unreported(*answer, std::move(context));
      co_return answer;
    }
  }
  auto answer = co_await runtime_.call(call.tool, std::move(arguments), context, under_way->cancel);
  if (answer && call.tool == "process") co_await scope_.leave_out_others(*answer);
  if (answer && call.tool == "terminal" && under_way->is_unread()) {
    co_await kill_unreported(*answer, std::move(context));
  }
  co_return answer;
}

// The call was cancelled or abandoned when its command was already in the background: no client
// gets the handle, so no client could end it.
Task<void> McpSession::kill_unreported(const json::object& answer, CallContext context) {
  const std::string process = text_field(answer, "session_id");
  if (process.empty()) co_return;
  if (BackgroundCalls::is_handle(process)) {
    AsyncEvent given_up;
    const json::object kill{{"action", "kill"}, {"session_id", process}};
    std::ignore = co_await background_->look(scope_.owner(), kill, given_up);
    co_return;
  }
  std::ignore = co_await runtime_.call("process", {{"action", "kill"}, {"session_id", process}},
                                       std::move(context));
}

// Approvals.

// Reads the answer in a repeated call (2026-07-28).
Task<McpSession::Responses> McpSession::take_responses(const McpCall& call) {
  if (call.request_state.empty()) co_return Responses::taken;
  const auto asked = state_.asked_in(call.request_state, scope_.principal().session_key, call.tool,
                                     call.arguments);
  if (!asked) co_return Responses::invalid;
  if (!scope_.principal().may_answer) co_return Responses::taken;
  bool declined = false;
  co_await take_form(asked->question, answer_in_responses(call.input_responses, asked->age),
                     declined);
  co_return declined ? Responses::declined : Responses::taken;
}

std::optional<QueuedApproval> McpSession::open_question(const std::string& id) {
  const auto open = approvals_.list();
  // If the queue cannot be read, the approval counts as open.
  if (!open) return QueuedApproval{.request = {.id = id}};
  const auto found =
      std::ranges::find(*open, id, [](const QueuedApproval& one) { return one.request.id; });
  return found == open->end() ? std::nullopt : std::optional(*found);
}

// Sends a request to the client. Nothing: it refused, no answer came in time, or `settled` is true.
Task<std::optional<json::object>> McpSession::ask_client(std::string key, std::string method,
                                                         json::object params, CallPointer under_way,
                                                         std::function<bool()> settled) {
  under_way->answer.reset();
  send(server_.ask(key, method, params));
  const Clock::time_point end = Clock::now() + kFormPatience;
  while (!under_way->answer && !under_way->unwanted && Clock::now() < end) {
    co_await under_way->answered.wait_for(kFormLook);
    if (!under_way->answer && !under_way->unwanted && settled && settled()) break;
  }
  if (under_way->answer) co_return under_way->answer->result;
  if (!under_way->unwanted) send(server_.withdraw(key));
  co_return std::nullopt;
}

void McpSession::take_answer(McpElicited elicited) {
  const auto found = calls_.find(elicited.key);
  if (found == calls_.end()) return;
  found->second->answer = std::move(elicited);
  found->second->answered.notify_all();
}

// Resources.

Task<void> McpSession::read(McpRead wanted, CallPointer under_way) {
  if (under_way->unwanted) co_return;
  const std::string key = wanted.request.key;
  const bool modern = wanted.request.modern;
  McpAnswer contents = offer_.handler ? offer_.handler->read(wanted)
                                      : co_await contents_of(std::move(wanted), under_way->cancel);
  if (contents && modern) {
    (*contents)["ttlMs"] = 0;
    (*contents)["cacheScope"] = "private";
  }
  if (under_way->unwanted) co_return;
  calls_.erase(key);
  send(server_.answer(key, std::move(contents)));
}

Task<McpAnswer> McpSession::contents_of(McpRead wanted, Cancel cancel) {
  const RpcError unknown{wanted.request.modern ? kRpcInvalidParams : kMcpResourceNotFound,
                         "Resource not found: " + wanted.uri,
                         {{"uri", wanted.uri}}};
  const auto address = parse_resource(wanted.uri);
  if (!address) co_return std::unexpected(unknown);
  json::object arguments{
      {"action", "read"}, {"session_id", address->name}, {"from", address->offset}};
  if (address->limit) arguments["max"] = *address->limit;
  if (!co_await scope_.is_own(address->name)) co_return std::unexpected(unknown);
  const CallContext context = scope_.context_for(address->task);
  const auto answer = co_await runtime_.call("process", std::move(arguments), context, cancel);
  auto contents = answer ? resource_contents(wanted.uri, *answer) : std::nullopt;
  if (!contents) co_return std::unexpected(unknown);
  co_return std::move(*contents);
}

// Reports output and the end of a process. Files are not watched.
void McpSession::set_watch(const McpWatch& change) {
  if (const auto found = watches_.find(change.uri); found != watches_.end()) {
    found->second.cancel();
    watches_.erase(found);
  }
  if (!change.wanted || closed_) return;
  const auto address = parse_resource(change.uri);
  if (!address || !address->is_process) return;
  const Cancel cancel;
  watches_.emplace(change.uri, cancel);
  start(watch(change.uri, address->name, cancel));
}

// A client that does not read gets one notification when it reads again.
void McpSession::report_change(const std::string& uri) {
  if (queue_.is_held()) {
    unreported_changes_.insert(uri);
    return;
  }
  for (const McpSend& message : server_.resource_changed(uri)) send(message);
}

Task<void> McpSession::watch(std::string uri, std::string process, Cancel cancel) {
  const auto info = co_await processes_.find(process);
  if (!info || cancel.cancelled() || !co_await scope_.is_own(process)) co_return;
  const auto report = [this, uri] { report_change(uri); };
  // Changes within kChangePause are reported together.
  const auto pause = std::make_shared<asio::steady_timer>(executor_);
  const auto waits = std::make_shared<bool>(false);
  const auto changed = [report, pause, waits, cancel](std::string_view) {
    if (cancel.cancelled() || std::exchange(*waits, true)) return;
    pause->expires_after(kChangePause);
    pause->async_wait([report, pause, waits, cancel](const boost::system::error_code& stopped) {
      *waits = false;
      if (!stopped && !cancel.cancelled()) report();
    });
  };
  OutputQuery query{.id = process, .from = info->output_bytes, .follow = true};
  const auto end = co_await processes_.read(std::move(query), changed, cancel);
  pause->cancel();
  if (end && !cancel.cancelled()) report();
}

}  // namespace talaria::front::mcp
