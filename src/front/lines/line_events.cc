#include "front/lines/line_events.h"

#include <utility>

#include "base/limits.h"
#include "json/json_text.h"

namespace talaria::front::lines {
namespace {

constexpr std::string_view kDefaultConsumer = "default";

Result<std::string> text_of(const LineParams& params, std::string_view name,
                            std::string_view absent) {
  std::string value = params.text(name, absent);
  if (value.size() <= kMaxConsumerBytes) return value;
  return fail(param_error(
      name, "expected a string of up to " + std::to_string(kMaxConsumerBytes) + " bytes"));
}

Result<std::string> consumer_of(const LineParams& params) {
  auto consumer = text_of(params, "consumer", kDefaultConsumer);
  if (consumer && consumer->empty()) {
    return fail(ErrorKind::bad_request, "params.consumer: expected a name");
  }
  return consumer;
}

}  // namespace

Result<json::object> LineEvents::subscribe(const LineParams& params) {
  EventOptions options;
  auto consumer = consumer_of(params);
  if (!consumer) return fail(consumer.error());
  auto session_key = text_of(params, "session_key", "");
  if (!session_key) return fail(session_key.error());
  const auto from_now = params.choice("from", "kept now");
  if (!from_now) return fail(from_now.error());
  const auto by_hand = params.choice("ack", "auto manual");
  if (!by_hand) return fail(by_hand.error());
  if (subscribed_.contains(*consumer)) {
    return fail(ErrorKind::bad_request, "consumer '" + *consumer + "' has subscribed already");
  }
  if (subscribed_.size() >= kMaxSubscriptions) {
    return fail(ErrorKind::limit,
                "there are " + std::to_string(kMaxSubscriptions) + " subscriptions already");
  }
  const auto [place, added] = subscribed_.emplace(*consumer, Cancel());
  start_(follow({.consumer = *consumer,
                 .session_key = std::move(*session_key),
                 .from_now = *from_now == 1,
                 .acknowledges = *by_hand == 1},
                place->second));
  return json::object{{"consumer", *consumer}};
}

Task<Result<json::object>> acknowledge_event(AsioRuntime& runtime, LineParams params) {
  const auto consumer = consumer_of(params);
  if (!consumer) co_return fail(consumer.error());
  const auto moved = co_await AsioProcesses(runtime).acknowledge(*consumer, *params.whole("id"));
  if (!moved) co_return fail(moved.error());
  co_return json::object();
}

Result<json::object> LineEvents::unsubscribe(const LineParams& params) {
  const auto consumer = consumer_of(params);
  if (!consumer) return fail(consumer.error());
  const auto found = subscribed_.find(*consumer);
  if (found == subscribed_.end()) {
    return fail(ErrorKind::not_found, "consumer '" + *consumer + "' has not subscribed");
  }
  found->second.cancel();
  subscribed_.erase(found);
  return json::object();
}

// If the subscription fails, its last event says so.
Task<void> LineEvents::follow(EventOptions options, Cancel cancel) {
  const std::string consumer = options.consumer;
  const auto sink = [this, &consumer](const ProcessEvent& event) {
    json::object shown = processes_.describe(event);
    shown["consumer"] = consumer;
    return push_(to_line(json::object{{"event", std::move(shown)}}) + "\n");
  };
  const auto ended = co_await processes_.follow_events(std::move(options), sink, cancel);
  if (ended) co_return;
  subscribed_.erase(consumer);
  push_(to_line(json::object{{"event",
                              {{"type", "subscription_ended"},
                               {"consumer", consumer},
                               {"message", ended.error().message()}}}}) +
        "\n");
}

void LineEvents::end() {
  for (const auto& [consumer, cancel] : std::exchange(subscribed_, {})) cancel.cancel();
}

}  // namespace talaria::front::lines
