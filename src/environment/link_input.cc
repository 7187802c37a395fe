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
  std::size_t from = 0;
  do {
    link::Write piece{
        .process = input.process, .from = from, .data = input.data.substr(from, kInputPiece)};
    piece.writer = input.writer;
    from += piece.data.size();
    const bool last = from == input.data.size();
    piece.end = input.end && last;
    const auto report =
        report_of<link::WriteReport>(co_await driver->call(std::move(piece), {}, cancel));
    if (!report) co_return fail(report.error());
    if (report->closed && !(input.end && last)) co_return false;
  } while (from < input.data.size());
  co_return true;
}

Task<void> send_input_or_kill(std::shared_ptr<link::LinkDriver> driver, ProcessInput input) {
  const std::string process = input.process;
  const auto sent = co_await send_input(driver, std::move(input));
  if (!sent) (void)co_await driver->call(link::Kill{.process = process});
}

}  // namespace talaria::environment
