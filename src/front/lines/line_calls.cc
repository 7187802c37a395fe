#include "front/lines/line_calls.h"

#include <utility>
#include <variant>

#include "front/lines/line_methods.h"

namespace talaria::front::lines {

LineCalls::LineCalls(AsioRuntime& runtime, LinePlaces& places, Client client)
    : client_(std::move(client)),
      queue_([this](Task<void> task) { client_.start(std::move(task)); }),
      services_{.runtime = runtime,
                .places = places,
                .start = [this](Task<void> task) { client_.start(std::move(task)); },
                .events = LineEvents(
                    runtime, [this](const std::string& line) { return push(line); },
                    [this](Task<void> task) { client_.start(std::move(task)); }),
                .approvals =
                    LineApprovals(runtime, [this](const std::string& line) { return push(line); }),
                .sudo = LineSudo(runtime, [this](const std::string& line) { return push(line); }),
                .tools = LineTools([this](const std::string& line) { return push(line); })} {
  queue_.hold_while([this] { return !client_.reads(); });
}

void LineCalls::resume() {
  const auto requests = services_.requests;  // one may end, and change the map
  for (const auto& [key, request] : requests) request->resume();
  queue_.resume();
}

void LineCalls::cancel(const std::string& key) {
  const auto found = services_.requests.find(key);
  if (found == services_.requests.end()) return;
  const RequestPtr request = found->second;
  request->give_up();
}

void LineCalls::cancel_all() {
  const auto requests = services_.requests;
  for (const auto& [key, request] : requests) request->give_up();
}

void LineCalls::end_of_client() {
  services_.approvals.end();
  services_.sudo.end();
  services_.tools.end();
  for (const auto& [key, request] : services_.requests) request->end_of_client();
}

void LineCalls::perform(std::vector<LineAction> actions) {
  for (LineAction& action : actions) {
    if (auto* call = std::get_if<StartCall>(&action)) {
      take_call(std::move(*call));
    } else if (const auto* cancelled = std::get_if<CancelCall>(&action)) {
      cancel(cancelled->key);
    } else if (auto* method = std::get_if<AskMethod>(&action)) {
      take_method(std::move(*method));
    } else {
      client_.send(std::get<SendLine>(action).line);
    }
  }
  queue_.resume();
}

LineCalls::RequestPtr LineCalls::begin(const std::string& key) {
  auto request = std::make_shared<LineRequest>(
      key, PartStream::Client{.send =
                                  [this, key](const json::object& part) {
                                    client_.send(LineProtocol::part(key, part));
                                  },
                              .reads = [this] { return client_.reads(); }});
  services_.requests.emplace(key, request);
  return request;
}

void LineCalls::finish(const RequestPtr& request, const Result<json::object>& result) {
  services_.requests.erase(request->key());
  client_.send(protocol_.answer(request->key(), result));
}

void LineCalls::take_method(AskMethod ask) {
  const RequestPtr request = begin(ask.key);
  const auto refuse = [&](Error error) {
    finish(request, Result<json::object>(fail(std::move(error))));
  };
  const Method* const method = find_method(ask.method);
  const bool sees_all = services_.places.sees_all();
  if (!method || (method->of_home && !sees_all)) {
    return refuse({ErrorKind::not_found, "unknown method '" + ask.method + "'; expected one of " +
                                             method_names(sees_all)});
  }
  if (auto refused = services_.places.refusal()) return refuse(std::move(*refused));
  auto params = LineParams::read(method->name, method->params, std::move(ask.params));
  if (!params) return refuse(params.error());
  if (const auto opened = open_input(*method, *params, *request); !opened) {
    return refuse(opened.error());
  }
  MethodCall call{services_, std::move(*params), request};
  if (method->answer) return finish(request, method->answer(call));
  const bool works = method->pace == Method::Pace::work;
  queue_.add({works ? CallQueue::Kind::work : CallQueue::Kind::look, ask.bytes,
              [this, method, call = std::move(call)]() mutable {
                return run_method(method, std::move(call));
              }});
}

// Before the request runs: its client may write at once.
Result<void> LineCalls::open_input(const Method& method, const LineParams& params,
                                   LineRequest& request) {
  if (!method.takes_input || !method.takes_input(params)) return {};
  auto channel = ByteChannel::open(services_.runtime.executor());
  if (!channel) return fail(channel.error());
  request.set_input(std::move(*channel));
  return {};
}

Task<void> LineCalls::run_method(const Method* method, MethodCall call) {
  const RequestPtr request = call.request;
  const auto result = co_await method->run(std::move(call));
  request->close_input();
  finish(request, result);
}

void LineCalls::take_call(StartCall call) {
  const CallQueue::Kind kind = CallQueue::kind_of_tool(call.tool);
  const std::size_t bytes = call.bytes;
  queue_.add({kind, bytes, [this, request = begin(call.key), call = std::move(call)]() mutable {
                return run_call(std::move(call), request);
              }});
}

Task<void> LineCalls::run_call(StartCall call, RequestPtr request) {
  finish(request, co_await answer_call(std::move(call), *request));
}

Task<Result<json::object>> LineCalls::answer_call(StartCall call, const LineRequest& request) {
  LinePlaces& places = services_.places;
  if (auto refused = places.refusal()) co_return fail(std::move(*refused));
  // It knows of all processes of a home.
  if (call.tool == "process" && !places.sees_all()) {
    co_return fail(ErrorKind::denied, "the tool process is not served here; use processes.*");
  }
  call.context.own_tools = services_.tools.served();
  LinePlace place;  // in use until the call has ended
  if (!call.sandbox.empty() || !places.sees_all()) {
    auto found = co_await places.find(call.context.task, call.sandbox);
    if (!found) co_return fail(found.error());
    place = std::move(*found);
    call.context.task = place.task;
    call.context.variables = place.variables;
    call.context.first_directory = place.first_directory;
    if (call.context.session_key.empty()) call.context.session_key = place.session_key;
  }
  co_return co_await services_.runtime.call(std::move(call.tool), std::move(call.arguments),
                                            std::move(call.context), request.cancel());
}

bool LineCalls::push(const std::string& line) {
  if (!client_.reads()) return false;
  client_.send(line);
  return true;
}

}  // namespace talaria::front::lines
