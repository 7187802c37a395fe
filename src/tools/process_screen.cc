#include "tools/process_screen.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "tools/screen.h"

namespace talaria::tool {
namespace {

ScreenSize size_at(const ProcessInfo& info, std::uint64_t cursor) {
  ScreenSize size;
  for (const ScreenChange& change : info.terminal) {
    if (change.from <= cursor) size = change.size;
  }
  return size;
}

// Output on its way to a screen, whose size changed while it was printed.
class Replay {
 public:
  Replay(const ProcessInfo& info, std::uint64_t from)
      : info_(info), screen_(size_at(info, from)), cursor_(from) {}

  void feed(std::uint64_t from, std::string_view bytes) {
    if (from != cursor_) screen_.resize(size_at(info_, from));  // after a gap
    cursor_ = from;
    while (!bytes.empty()) {
      std::uint64_t until = cursor_ + bytes.size();
      for (const ScreenChange& change : info_.terminal) {
        if (change.from > cursor_) until = std::min(until, change.from);
      }
      const auto size = static_cast<std::size_t>(until - cursor_);
      screen_.feed(bytes.substr(0, size));
      bytes.remove_prefix(size);
      cursor_ = until;
      screen_.resize(size_at(info_, cursor_));
    }
  }

  ScreenView view() {
    const ScreenSize size = info_.terminal.back().size;
    screen_.resize(size);
    return {.lines = screen_.lines(),
            .size = size,
            .cursor_row = screen_.cursor_row(),
            .cursor_col = screen_.cursor_col(),
            .cursor_visible = screen_.cursor_visible(),
            .title = screen_.title(),
            .alternate = screen_.alternate()};
  }

 private:
  const ProcessInfo& info_;
  Screen screen_;
  std::uint64_t cursor_;
};

}  // namespace

Task<Result<ScreenView>> look_at_screen(const BackgroundProcess& process, const ProcessInfo& info,
                                        CancelToken cancel) {
  const std::uint64_t from = info.output_bytes - std::min(info.output_bytes, kMaxReplay);
  Replay replay(info, from);
  const auto read = co_await process.read(
      {.from = from, .max = kMaxReplay},
      [&replay](std::uint64_t at, std::string_view piece) { replay.feed(at, piece); },
      std::move(cancel));
  if (!read) co_return fail(read.error());
  co_return replay.view();
}

}  // namespace talaria::tool
