// Start and Wait: both are answered at the end of the command, and may stream its output meanwhile.
// A detached Start is answered when the shell exists; a hand-over answers both.
#include <algorithm>

#include "runner/limits.h"
#include "runner/request/open_request.h"
#include "runner/request/output_sender.h"
#include "runner/run_report.h"

namespace talaria::runner {
namespace {

struct Wanted {
  bool streams = false;
  std::uint64_t output_from = 0;
  std::uint64_t head_limit = 0;
  std::uint64_t tail_limit = 0;
};

template <class Message>
Wanted wanted_by(const Message& message) {
  return {message.stream_output, message.output_from, message.head_limit, message.tail_limit};
}

link::Started started_note(const Run& run, bool known) {
  return {.process = run.spec().process,
          .pid = static_cast<std::uint64_t>(std::max(run.pid(), 0)),
          .known = known,
          .cwd = run.record().started_in};
}

class CommandRequest final : public OpenRequest {
 public:
  CommandRequest(const RequestContext& context, std::shared_ptr<Run> run, const Wanted& wanted)
      : OpenRequest(context, std::move(run)),
        wanted_(wanted),
        sender_(wanted.output_from, UINT64_MAX),
        follows_background_(run_->spec().background()) {}

  // A Start that comes again gets the same answer as the first time.
  void answers_start() {
    follows_background_ = run_->spec().background() && !run_->record().handed_over_at;
  }

  std::optional<Result<std::string>> progress() override {
    if (wanted_.streams) said_something_ |= sender_.send(connection_, id_, run_->output());
    if (const auto handed_over_at = run_->record().handed_over_at;
        handed_over_at && !follows_background_) {
      const bool sent = sender_.cursor() >= *handed_over_at || sender_.beyond_credit();
      if (wanted_.streams && !sent) return std::nullopt;
      return link::encode(handed_over_report(*run_, wanted_.head_limit, wanted_.tail_limit));
    }
    if (!run_->finished() || (wanted_.streams && !sender_.caught_up(*run_))) return std::nullopt;
    if (const Error* failure = run_->start_failure()) return fail(*failure);
    run_->record().end_was_read = true;
    return link::encode(exit_report(*run_, wanted_.head_limit, wanted_.tail_limit));
  }

  // One that comes again with every batch is not what the batch was sent for.
  void confirm(const link::Started& started) {
    connection_.note(id_, link::encode(started));
    said_something_ |= !started.known;
  }

  void reader_at(std::uint64_t cursor) override { sender_.taken_before(cursor); }
  bool streams_output() const override { return wanted_.streams; }

  // A caller that waits for a command and streams its output slows it down rather than lose a byte.
  std::optional<std::uint64_t> lossless_cursor() const override {
    return wanted_.streams ? std::optional(sender_.taken()) : std::nullopt;
  }

 private:
  Wanted wanted_;
  OutputSender sender_;
  bool follows_background_;  // to its end, even if it has been handed over
};

class DetachedRequest final : public OpenRequest {
 public:
  DetachedRequest(const RequestContext& context, std::shared_ptr<Run> run, bool known)
      : OpenRequest(context, std::move(run)), known_(known) {}

  std::optional<Result<std::string>> progress() override {
    if (const Error* failure = run_->start_failure()) {
      if (!run_->finished()) return std::nullopt;
      return fail(*failure);
    }
    if (run_->awaiting_start()) return std::nullopt;
    return link::encode(started_note(*run_, known_));
  }

 private:
  bool known_;
};

}  // namespace

Result<Begun> begin_request(const RequestContext& context, link::Start start) {
  const Wanted wanted = wanted_by(start);
  const bool detached = start.detached;
  // A caller that gives input or answers waits for this: a Write could overtake a long Start.
  const bool confirm = wanted.streams || start.stdin_mode == link::StdinMode::stream || start.pty ||
                       start.script || start.command.size() > kLongCommand;
  auto started = context.parts.starts().start(context.link, std::move(start));
  if (!started) return fail(started.error());
  if (started->unjudged) {
    return detached ? link::encode(link::Started{.unjudged = std::move(started->unjudged)})
                    : link::encode(link::ExitReport{.unjudged = std::move(started->unjudged)});
  }
  if (detached) {
    return std::make_unique<DetachedRequest>(context, std::move(started->run), started->known);
  }
  const link::Started note = started_note(*started->run, started->known);
  auto request = std::make_unique<CommandRequest>(context, std::move(started->run), wanted);
  request->answers_start();
  if (confirm) request->confirm(note);
  return request;
}

Result<Begun> begin_request(const RequestContext& context, const link::Wait& wait) {
  auto run = context.parts.runs().get(wait.process);
  if (!run) return fail(run.error());
  return std::make_unique<CommandRequest>(context, std::move(*run), wanted_by(wait));
}

}  // namespace talaria::runner
