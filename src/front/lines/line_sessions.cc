// Sessions of tasks, and what a model has read of files.
#include <array>
#include <string>

#include "api/asio_sessions.h"
#include "front/lines/line_methods.h"

namespace talaria::front::lines {
namespace {

Task<Result<json::object>> get_session(MethodCall call) {
  const auto place = co_await place_of(call);
  if (!place) co_return fail(place.error());
  const auto found = AsioSessions(call.services.runtime).find(place->task);
  if (!found) co_return fail(found.error());
  co_return json::object{
      {"cwd", found->directory}, {"target", found->target}, {"exists", found->exists}};
}

Task<Result<json::object>> set_directory(MethodCall call) {
  const auto place = co_await place_of(call);
  if (!place) co_return fail(place.error());
  const auto moved = co_await AsioSessions(call.services.runtime)
                         .set_directory(place->task, call.params.text("cwd"), place->variables);
  if (!moved) co_return fail(moved.error());
  co_return json::object{{"cwd", *moved}};
}

Task<Result<json::object>> end_session(MethodCall call) {
  const auto place = co_await place_of(call);
  if (!place) co_return fail(place.error());
  const auto ended = co_await AsioSessions(call.services.runtime).end(place->task);
  if (!ended) co_return fail(ended.error());
  co_return json::object();
}

Task<Result<json::object>> forget_reads(MethodCall call) {
  const auto place = co_await place_of(call);
  if (!place) co_return fail(place.error());
  AsioSessions(call.services.runtime).forget_reads(place->task);
  co_return json::object();
}

constexpr auto kSessionMethods = std::to_array<Method>({
    method_soon("sessions.get", "task:text sandbox:text", get_session),
    method_soon("sessions.set_cwd", "task:text sandbox:text cwd!:name", set_directory),
    method_soon("sessions.end", "task:text sandbox:text", end_session),
    method_soon("reads.forget", "task:text sandbox:text", forget_reads),
});

}  // namespace

std::span<const Method> session_methods() { return kSessionMethods; }

}  // namespace talaria::front::lines
