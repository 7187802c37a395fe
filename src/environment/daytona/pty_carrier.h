// A carrier that is a terminal of a Daytona sandbox: the daemon there gives no other stream of
// bytes both ways. Each run has a terminal of its own, which is removed with the run.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/secret.h"
#include "environment/carrier/carrier.h"

namespace talaria::environment::daytona {

// The daemon of a sandbox, and our key.
struct PtyAccess {
  std::string toolbox;  // https://HOST/toolbox/ID, without a slash at its end
  Secret key;
  std::string ca_file = {};         // see TlsTrust
  std::shared_ptr<void> held = {};  // until the run has left nothing there
};

// Runs scripts in terminals of the sandbox's daemon that are made to carry bytes. `access` is asked
// for each run.
carrier::StartCarrier carrier_by_pty(asio::any_io_executor executor,
                                     std::function<PtyAccess()> access);

// How the runner in a sandbox is reached, by an environment and by a sweep.
carrier::CarrierOptions daytona_carrier(const asio::any_io_executor& executor,
                                        std::function<PtyAccess()> access,
                                        std::chrono::seconds lifetime);

}  // namespace talaria::environment::daytona
