#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "api/asio_processes.h"
#include "base/limits.h"
#include "front/cli/attach/terminal_modes.h"
#include "front/cli/fronts.h"
#include "front/cli/live_output.h"
#include "front/cli/process/process_text.h"
#include "front/cli/report.h"
#include "front/stop_signals.h"

namespace talaria::front::cli {
namespace {

constexpr std::uint64_t kFirstTailBytes = 64 * 1024;

// Where the last `lines` lines begin. A newline at the end belongs to the last line.
std::size_t last_lines(std::string_view text, std::uint64_t lines) {
  std::size_t at = text.size();
  if (lines == 0) return at;
  if (text.ends_with('\n')) --at;
  for (; lines > 0; --lines) {
    if (at == 0) return 0;
    const std::size_t newline = text.rfind('\n', at - 1);
    if (newline == std::string_view::npos) return 0;
    at = newline;
  }
  return at + 1;
}

class Logs {
 public:
  Logs(const AsioRuntime& runtime, LogsOptions options, Stdio stdio,
       const asio::any_io_executor& executor)
      : processes_(runtime),
        options_(std::move(options)),
        stdio_(stdio),
        plain_(!options_.raw && ::isatty(stdio.out) == 1),
        signals_(std::in_place, executor, [this](int signal) { stop(signal); }),
        output_(stdio.out, signals_->fd()) {}

  Task<int> show() {
    const auto id = processes_.full_id(options_.id);
    if (!id) co_return report_error(id.error(), false, stdio_);
    options_.id = *id;
    const auto begin = co_await first_byte();
    if (!begin) co_return report_error(with_advice(begin.error()), false, stdio_);
    cursor_ = *begin;
    const std::function<void(std::string_view)> pass_on = [this](std::string_view bytes) {
      write(bytes);
    };
    auto read = co_await processes_.read({.id = options_.id, .from = cursor_}, pass_on, cancel_);
    take(read);
    if (read && options_.follow && !read->eof) {
      read = co_await processes_.read({.id = options_.id, .from = cursor_, .follow = true}, pass_on,
                                      cancel_);
      take(read);
    }
    if (read && read->eof) co_await say_if_lost();
    const bool stopped = cancel_.cancelled();
    if (plain_ && !output_.broken()) output_.write(modes_.switch_off());
    if (!options_.since.empty() && (read || stopped)) {
      const auto moved = co_await processes_.set_mark(options_.id, options_.since, cursor_);
      if (!moved) co_return report_error(moved.error(), false, stdio_);
    }
    signals_.reset();
    if (output_.broken()) {
      complain_of_output(stdio_, output_.error());
      co_return output_.error() == EPIPE ? 128 + SIGPIPE : kFailed;
    }
    if (signal_ != 0) co_return 128 + signal_;
    if (!read) co_return report_error(with_advice(read.error()), false, stdio_);
    co_return 0;
  }

 private:
  void stop(int signal) {
    signal_ = signal;
    cancel_.cancel();
  }

  Task<Result<std::uint64_t>> first_byte() {
    if (options_.from) co_return *options_.from;
    if (!options_.since.empty()) co_return processes_.mark(options_.id, options_.since);
    if (options_.tail) co_return co_await tail_begin();
    co_return 0;
  }

  // Reads more and more of the end until it has enough lines.
  Task<Result<std::uint64_t>> tail_begin() {
    for (std::uint64_t size = kFirstTailBytes;; size *= 8) {
      const auto info = co_await processes_.find(options_.id);
      if (!info) co_return fail(info.error());
      const std::uint64_t from = info->output_bytes - std::min(info->output_bytes, size);
      std::string end;
      const auto read = co_await processes_.read(
          {.id = options_.id, .from = from}, [&end](std::string_view piece) { end += piece; },
          cancel_);
      if (!read) co_return fail(read.error());
      const std::size_t begin = last_lines(end, *options_.tail);
      const bool all = from == 0 || read->lost > 0 || size >= kMaxTailBytes;
      if (begin > 0 || all) co_return read->next - end.size() + begin;
    }
  }

  void take(const Result<OutputRead>& read) {
    if (!read) return;
    cursor_ = read->next;
    if (read->lost == 0) return;
    complain(stdio_, std::to_string(read->lost) + " bytes of older output are no longer stored");
  }

  // Else its output, or that there is none, would look complete.
  Task<void> say_if_lost() {
    const auto info = co_await processes_.find(options_.id);
    if (!info || info->running || info->ended != ProcessEnd::lost) co_return;
    complain(stdio_, already_ended(*info));
  }

  void write(std::string_view bytes) {
    if (cancel_.cancelled() || output_.broken()) return;
    cursor_ += bytes.size();
    const std::string text = plain_ ? filter_.pass(bytes) : std::string(bytes);
    if (plain_) modes_.feed(text);
    if (!output_.write(text)) cancel_.cancel();
  }

  AsioProcesses processes_;
  LogsOptions options_;
  Stdio stdio_;
  bool plain_;
  SequenceFilter filter_{is_colour};
  TerminalModes modes_;
  const Cancel cancel_;
  int signal_ = 0;
  std::optional<StopSignals> signals_;
  LiveOutput output_;
  std::uint64_t cursor_ = 0;
};

}  // namespace

Task<int> run_command(AsioRuntime& runtime, LogsOptions options, Stdio stdio) {
  Logs logs(runtime, std::move(options), stdio, co_await asio::this_coro::executor);
  co_return co_await logs.show();
}

}  // namespace talaria::front::cli
