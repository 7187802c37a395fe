#include "environment/carrier/carrier_environment.h"

#include "environment/link_environment.h"

namespace talaria {

Result<void> check_carrier(const CarrierOptions& options) {
  if (!options.command.empty()) return {};
  return fail(ErrorKind::bad_request,
              "TERMINAL_CARRIER: the command that runs a program at the target is required, "
              "e.g. TERMINAL_CARRIER='docker exec -i BOX'");
}

Result<std::unique_ptr<Environment>> make_carrier_environment(const asio::any_io_executor& executor,
                                                              const CarrierOptions& options,
                                                              const LoginFiles& login) {
  if (const auto enough = check_carrier(options); !enough) return fail(enough.error());
  const auto carrier = std::make_shared<Carrier>(executor, options);
  LinkDriver::Connect connect = [carrier] { return carrier->connect(); };
  return std::make_unique<LinkEnvironment>(
      executor,
      LinkEnvironment::Options{.target = "carrier",
                               .elsewhere = true,
                               .login = login,
                               .batch_ms = options.batches ? kBatchMs : 0},
      std::move(connect));
}

}  // namespace talaria
