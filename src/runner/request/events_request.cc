// Events: all after a number, and new ones as they come. Acknowledge: the controller has stored
// them up to a number.
#include "link/runner_event.h"
#include "runner/limits.h"
#include "runner/request/open_request.h"

namespace talaria::runner {
namespace {

class EventsRequest final : public OpenRequest {
 public:
  EventsRequest(const RequestContext& context, const link::Events& events)
      : OpenRequest(context, nullptr),
        log_(context.parts.jobs().events()),
        sent_(events.after),
        follow_(events.follow) {}

  // No more at once than the peer is likely to read: it comes back here when that was written.
  std::optional<Result<std::string>> progress() override {
    while (const link::RunnerEvent* event = log_.first_after(sent_)) {
      if (connection_.queued_bytes() > kEventsAhead) return std::nullopt;
      connection_.note(id_, link::encode(*event));
      sent_ = event->number;
      said_something_ = true;
    }
    if (follow_) return std::nullopt;
    return link::encode(link::EventsReport{.last = log_.last()});
  }

  bool follows_events() const override { return true; }

 private:
  const EventLog& log_;
  std::uint64_t sent_;
  bool follow_;
};

}  // namespace

Result<Begun> begin_request(const RequestContext& context, const link::Events& events) {
  return std::make_unique<EventsRequest>(context, events);
}

Result<Begun> begin_request(const RequestContext& context, const link::Acknowledge& acknowledge) {
  RunnerParts& parts = context.parts;
  if (acknowledge.instance.empty() || acknowledge.instance == parts.instance()) {
    Jobs& jobs = parts.jobs();
    for (const std::string& process : jobs.events().acknowledge(acknowledge.up_to)) {
      if (const auto run = parts.runs().find(process)) jobs.acknowledged(*run);
    }
  }
  return std::string();
}

}  // namespace talaria::runner
