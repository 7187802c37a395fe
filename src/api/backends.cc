#include "api/backends.h"

#include <utility>

#include "environment/carrier/carrier_environment.h"
#include "environment/local/local_environment.h"
#include "host/login_files.h"

namespace talaria {

namespace {

CarrierOptions carrier_options(const Config& config) {
  return {.command = config.carrier,
          .joins_words = config.carrier_joins_words,
          .batches = config.carrier_batches,
          .lifetime = config.lifetime};
}

}  // namespace

// To add one: write its folder in environment/, then its lines here.
std::vector<Backend> backends(const asio::any_io_executor& executor) {
  Backend local("local", [executor](const EnvironmentRequest& request) {
    const Config& config = request.config;
    return make_local_environment(
        executor, {.home = config.home, .lifetime = config.lifetime, .login = login_files(config)});
  });
  Backend carrier("carrier", [executor](const EnvironmentRequest& request) {
    return make_carrier_environment(executor, carrier_options(request.config),
                                    login_files(request.config));
  });
  carrier.check = [](const Config& config) { return check_carrier(carrier_options(config)); };
  return {std::move(local), std::move(carrier)};
}

}  // namespace talaria
