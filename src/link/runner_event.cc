#include "link/runner_event.h"

#include "link/codec.h"
#include "link/limits.h"

namespace talaria::link {

TALARIA_MESSAGE(RunnerEvent) {
  field(1, "number", message.number);
  field(2, "kind", message.kind, RunnerEvent::Kind::watch_unmuted);
  field(3, "process", message.process, kMaxId);
  field(4, "session", message.session, kMaxId);
  field(5, "owner", message.owner, kMaxId);
  field(6, "command", message.command, kMaxText);
  field(7, "time_ms", message.time_ms);
  field(8, "announced", message.announced);
  field(9, "ended", message.ended, Ended::lost);
  field(10, "code", message.code);
  field(11, "signal", message.signal);
  field(12, "source", message.source, kMaxId);
  field(13, "output", message.output, kMaxText);
  field(14, "pattern", message.pattern, kMaxId);
  field(15, "suppressed", message.suppressed);
  field(16, "message", message.message, kMaxText);
  field(17, "dropped", message.dropped);
}

TALARIA_MESSAGE(Events) {
  field(1, "after", message.after);
  field(2, "follow", message.follow);
}

TALARIA_MESSAGE(EventsReport) { field(1, "last", message.last); }

TALARIA_MESSAGE(Acknowledge) {
  field(1, "up_to", message.up_to);
  field(2, "instance", message.instance, kMaxId);
}

}  // namespace talaria::link
