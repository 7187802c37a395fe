#include "environment/carrier/carrier_environment.h"

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/message.h"
#include "environment/carrier/carried_environment.h"

namespace talaria::environment::carrier {

Result<void> check_carrier(const CarrierConfig& config) {
  if (!config.command.empty()) return {};
  return fail(
      ErrorKind::bad_request,
      "target carrier requires TERMINAL_CARRIER, the command that runs a program at the target, "
      "for example TERMINAL_CARRIER='docker exec -i BOX'");
}

Task<Result<void>> reach_carrier(CarrierConfig config) {
  if (const auto enough = check_carrier(config); !enough) co_return enough;
  const auto start =
      carrier_by(co_await asio::this_coro::executor,
                 {.command = config.command, .joins_arguments = config.joins_arguments});
  const auto failure = co_await try_carrier(start);
  if (!failure) co_return Result<void>();
  co_return fail(failure->silent ? ErrorKind::timed_out : ErrorKind::unavailable,
                 "`" + config.command + "` does not run programs at the target: " +
                     as_sentence(failure->message) + " Check TERMINAL_CARRIER.");
}

Task<Result<std::unique_ptr<Environment>>> make_carrier_environment(CarrierConfig config,
                                                                    EnvironmentSpec spec) {
  if (const auto enough = check_carrier(config); !enough) co_return fail(enough.error());
  CarrierOptions options{.command = config.command,
                         .joins_arguments = config.joins_arguments,
                         .batches = spec.batches,
                         .places = {.name = own_name("run", spec.home_mark)},
                         .lifetime = spec.lifetime,
                         .explain = [command = config.command](const CarrierFailure& failure) {
                           return "`" + command + "` failed to start a runner at the target: " +
                                  as_sentence(failure.message) + " Check TERMINAL_CARRIER.";
                         }};
  CarriedTarget target{
      .carrier = std::make_shared<Carrier>(co_await asio::this_coro::executor, std::move(options)),
      .options = {.target = "carrier", .elsewhere = true, .login = std::move(spec.login)},
      .plain = spec.plain};
  co_return co_await make_carried_environment(std::move(target));
}

}  // namespace talaria::environment::carrier
