// Events of background processes.
#include <array>

#include "front/lines/line_methods.h"

namespace talaria::front::lines {
namespace {

Result<json::object> subscribe_events(MethodCall& call) {
  return call.services.events.subscribe(call.params);
}

Result<json::object> unsubscribe_events(MethodCall& call) {
  return call.services.events.unsubscribe(call.params);
}

Task<Result<json::object>> acknowledge_events(MethodCall call) {
  co_return co_await acknowledge_event(call.services.runtime, std::move(call.params));
}

constexpr auto kEventMethods = std::to_array<Method>({
    of_home(method_at_once("events.subscribe", "consumer:text session_key:text from:text ack:text",
                           subscribe_events)),
    of_home(method_soon("events.ack", "consumer:text id!:whole", acknowledge_events)),
    of_home(method_at_once("events.unsubscribe", "consumer:text", unsubscribe_events)),
});

}  // namespace

std::span<const Method> event_methods() { return kEventMethods; }

}  // namespace talaria::front::lines
