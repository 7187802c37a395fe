#include "front/cli/attach/attachment.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/escape_sequence.h"
#include "base/limits.h"

namespace talaria::front::cli {
namespace {

constexpr char kInterrupt = '\x03';

ScreenSize within_limits(ScreenSize size) {
  return {.rows = std::clamp(size.rows, kMinScreenRows, kMaxScreenRows),
          .cols = std::clamp(size.cols, kMinScreenCols, kMaxScreenCols)};
}

// Output that was cut at an arbitrary byte, from where it can be shown: not inside a sequence.
std::string_view from_a_beginning(std::string_view bytes) {
  const std::size_t newline = bytes.find('\n');
  const std::size_t escape = bytes.find(escape::kEscape);
  const std::size_t first = newline < escape ? newline + 1 : escape;
  return first >= bytes.size() ? bytes : bytes.substr(first);
}

}  // namespace

Attachment::Attachment(const asio::any_io_executor& executor, const AsioProcesses& processes,
                       ProcessInfo info, AttachRequest request, Stdio stdio)
    : executor_(executor),
      processes_(processes),
      info_(std::move(info)),
      request_(std::move(request)),
      stdio_(stdio),
      at_terminal_(!info_.terminal.empty() && ::isatty(stdio.in) == 1 && ::isatty(stdio.out) == 1),
      resized_(executor),
      tasks_(executor) {}

Task<Attachment::Left> Attachment::run() {
  signals_.emplace(executor_, [this](int signal) { leave(signal); });
  output_.emplace(stdio_.out, signals_->fd());
  if (at_terminal_) {
    resized_.add(SIGQUIT);  // before the terminal changes
    resized_.add(SIGWINCH);
    auto entered = RawTerminal::enter(stdio_.in);
    if (!entered) co_return Left{.trouble = entered.error()};
    terminal_.emplace(std::move(*entered));
  }
  co_await show_past();
  if (!over_) co_await fit_size(modes_.alternate_screen());
  if (!request_.read_only || at_terminal_) {
    input_.emplace(executor_, stdio_.in, [this](const std::string& piece) { take(piece); });
    spawn(executor_, type());
  }
  // Last, because a task must not outlive this object, and what stands above may throw.
  if (at_terminal_) tasks_.start(watch_signals());
  tasks_.start(follow());
  tasks_.start(watch_end());

  while (!over_) co_await tasks_.change();
  stop_.cancel();
  input_.reset();
  resized_.cancel();
  co_await tasks_.ended();
  if (left_.ended && !output_->broken()) {
    // Output between the last piece and the end; output of its children is not waited for.
    (void)co_await processes_.read({.id = info_.id, .from = cursor_},
                                   [this](std::string_view bytes) { show(bytes); });
  }
  restore_terminal();
  signals_.reset();
  co_return std::move(left_);
}

Task<void> Attachment::show_past() {
  const std::uint64_t wanted = at_terminal_ ? kAttachLookBack : kAttachReplay;
  cursor_ = info_.output_bytes - std::min(info_.output_bytes, wanted);
  std::string past;
  const auto read = co_await processes_.read(
      {.id = info_.id, .from = cursor_}, [&past](std::string_view bytes) { past += bytes; }, stop_);
  if (!read) {
    left_.trouble = read.error();
    over_ = true;
    co_return;
  }
  cursor_ = read->next;
  if (!at_terminal_) {
    output_->write(past);
    co_return;
  }
  std::string_view recent = past;
  if (recent.size() > kAttachReplay) recent.remove_prefix(recent.size() - kAttachReplay);
  if (read->next > recent.size()) recent = from_a_beginning(recent);
  modes_.feed(std::string_view(past).substr(0, past.size() - recent.size()));
  SequenceFilter filter(is_silent);
  const std::string shown = modes_.switch_on() + filter.pass(recent) + filter.pending();
  modes_.feed(recent);
  output_->write(shown);
  line_begun_ = !past.empty() && !past.ends_with('\n');
}

Task<void> Attachment::follow() {
  const auto read = co_await processes_.read(
      {.id = info_.id, .from = cursor_, .follow = true},
      [this](std::string_view bytes) { show(bytes); }, stop_);
  if (read || over_) co_return;
  left_.trouble = read.error();
  over_ = true;
}

Task<void> Attachment::watch_end() {
  auto ended = co_await processes_.watch_end(info_.id, stop_);
  if (over_) co_return;
  if (ended) {
    left_.ended = std::move(*ended);
  } else {
    left_.trouble = ended.error();
  }
  over_ = true;
}

void Attachment::show(std::string_view bytes) {
  if (over_ && !left_.ended) return;  // the terminal was restored
  cursor_ += bytes.size();
  if (at_terminal_) modes_.feed(bytes);
  line_begun_ = !bytes.ends_with('\n');
  if (!output_->write(bytes)) leave();
}

void Attachment::take(const std::string& piece) {
  if (piece.empty()) {
    if (at_terminal_) return leave();
    input_ended_ = true;
  } else if (at_terminal_) {
    take_keys(piece);
    if (input_) input_->read_next();
  } else {
    untyped_ += piece;  // the next piece is read when this was written
  }
  tasks_.notify();
}

void Attachment::take_keys(const std::string& piece) {
  const DetachKeys::Typed typed = request_.keys.feed(piece);
  if (typed.detach) return leave();
  if (request_.read_only) {
    if (typed.keys.contains(kInterrupt)) leave();
    return;
  }
  if (untyped_.size() + typed.keys.size() > kMaxUntypedBytes) {
    output_->write("\a");
    return;
  }
  untyped_ += typed.keys;
}

Task<void> Attachment::type() {
  const auto self = shared_from_this();
  while (!over_) {
    while (!over_ && untyped_.empty() && !input_ended_) co_await tasks_.change();
    if (over_) co_return;
    const bool end = input_ended_;
    const auto taken = co_await processes_.write(info_.id, std::exchange(untyped_, {}), end);
    if (over_ || end) co_return;
    if (!taken || !*taken) {
      // If it ended, watch_end() reports that.
      if (!at_terminal_) complain(stdio_, info_.id + " does not take more input");
      co_return;
    }
    if (!at_terminal_ && input_) input_->read_next();
  }
}

Task<void> Attachment::watch_signals() {
  while (!over_) {
    const auto [error, signal] = co_await resized_.async_wait(as_values);
    if (error || over_) co_return;
    if (signal == SIGQUIT) {
      leave(signal);
    } else {
      co_await fit_size(false);
    }
  }
}

// `redraw`: make a full-screen program draw again even if the size stays the same.
Task<void> Attachment::fit_size(bool redraw) {
  if (!at_terminal_ || request_.read_only) co_return;
  const auto ours = size_of_terminal(stdio_.out);
  if (!ours) co_return;
  const ScreenSize size = within_limits(*ours);
  if (redraw && size == info_.terminal.back().size && size.rows > kMinScreenRows) {
    (void)co_await processes_.resize(info_.id, {.rows = size.rows - 1, .cols = size.cols});
  }
  (void)co_await processes_.resize(info_.id, size);  // if it has ended, watch_end() reports that
}

void Attachment::leave(int signal) {
  if (over_) return;
  over_ = true;
  left_.signal = signal;
  restore_terminal();  // now: a second signal ends this process at once
  stop_.cancel();
  tasks_.notify();
}

void Attachment::restore_terminal() {
  if (!terminal_) return;
  output_->write(modes_.switch_off() + (line_begun_ ? "\r\n" : ""));
  terminal_->leave();
  terminal_.reset();
}

}  // namespace talaria::front::cli
