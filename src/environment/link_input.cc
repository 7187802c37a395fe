#include "environment/link_input.h"

#include <cstddef>
#include <utility>

#include "environment/end_runner.h"

namespace talaria::environment {
namespace {

constexpr std::size_t kInputPiece = 128 * 1024;

}  // namespace

Task<Result<bool>> send_input(std::shared_ptr<link::LinkDriver> driver, ProcessInput input,
                              CancelToken cancel) {
  std::uint64_t from = 0;
  std::size_t at = 0;  // in `input.data`
  for (;;) {
    if (at == input.data.size() && input.more) {
      input.data = co_await input.more->next();
      at = 0;
      if (input.more->stopped()) co_return false;
      if (input.data.empty()) input.more.reset();
    }
    link::Write piece{
        .process = input.process, .from = from, .data = input.data.substr(at, kInputPiece)};
    piece.writer = input.writer;
    from += piece.data.size();
    at += piece.data.size();
    const bool last = at == input.data.size() && !input.more;
    piece.end = input.end && last;
    const auto report =
        report_of<link::WriteReport>(co_await driver->call(std::move(piece), {}, cancel));
    if (!report) co_return fail(report.error());
    if (report->closed && !(input.end && last)) co_return false;
    if (last) co_return true;
  }
}

Task<void> send_input_or_kill(std::shared_ptr<link::LinkDriver> driver, ProcessInput input) {
  const std::string process = input.process;
  const auto sent = co_await send_input(driver, std::move(input));
  if (!sent) (void)co_await driver->call(link::Kill{.process = process});
}

}  // namespace talaria::environment
