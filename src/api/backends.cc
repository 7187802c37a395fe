#include "api/backends.h"

#include "environment/carrier/carrier_environment.h"
#include "environment/local/local_environment.h"
#include "host/login_files.h"

namespace talaria {

// To add one: write its folder in environment/, then its line here.
std::vector<Backend> backends(const asio::any_io_executor& executor) {
  return {
      {"local",
       [executor](const Config& config) {
         return make_local_environment(
             executor,
             {.home = config.home, .lifetime = config.lifetime, .login = login_files(config)});
       }},
      {"carrier",
       [executor](const Config& config) {
         return make_carrier_environment(executor, {.command = config.carrier,
                                                    .joins_words = config.carrier_joins_words,
                                                    .batches = config.carrier_batches,
                                                    .lifetime = config.lifetime,
                                                    .login = login_files(config)});
       }},
  };
}

}  // namespace talaria
