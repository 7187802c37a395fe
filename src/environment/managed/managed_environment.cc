#include "environment/managed/managed_environment.h"

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "environment/carrier/carried_environment.h"
#include "environment/managed/exec_environment.h"
#include "environment/managed/exec_run.h"
#include "environment/managed/managed_sandbox.h"

namespace talaria::environment::managed {
namespace {

// Where containers of `talaria serve` have runners that can only be read. The gateway has one of
// its own at work there; ours is another.
constexpr const char* kMountedRunners = "/opt/talaria";

// With a runner there: everything works.
carrier::CarriedTarget carried(const asio::any_io_executor& executor,
                               const std::shared_ptr<ManagedSandbox>& sandbox) {
  const ManagedOptions& options = sandbox->options();
  carrier::CarrierOptions carrier{.places = {.mounted = kMountedRunners, .name = "run-managed"},
                                  .lifetime = options.lifetime,
                                  .name = "the gateway " + sandbox->client()->host(),
                                  .start = carrier_by_execs(executor, sandbox),
                                  .explain = [sandbox](const carrier::CarrierFailure& failure) {
                                    return "the " + sandbox->place() +
                                           " cannot be reached: " + failure.words;
                                  }};
  return {.carrier = std::make_shared<carrier::Carrier>(executor, std::move(carrier)),
          .link = {.target = options.target,
                   .place = [sandbox] { return sandbox->place(); },
                   .persistent = options.persistent,
                   .isolated = true,
                   .close = [sandbox](bool remove) { return sandbox->close(remove); },
                   .news = [sandbox] { return sandbox->take_news(); },
                   .used = [sandbox] { sandbox->used(); },
                   .elsewhere = true,
                   .login = options.login}};
}

}  // namespace

Result<void> check_managed(const ManagedOptions& options) {
  if (options.has_credential_files) {
    return fail(ErrorKind::bad_request,
                "Managed Modal does not support host credential-file passthrough. Use "
                "TERMINAL_MODAL_MODE=direct when skills or config require credential files inside "
                "the sandbox.");
  }
  if (options.access.origin.empty() || options.access.token.empty()) {
    return fail(ErrorKind::bad_request,
                "Managed Modal requires a configured tool gateway and Nous user token");
  }
  return {};
}

Task<Result<std::unique_ptr<Environment>>> make_managed_environment(ManagedOptions options) {
  if (const auto enough = check_managed(options); !enough) co_return fail(enough.error());
  const auto executor = co_await asio::this_coro::executor;
  auto client = GatewayClient::make(options.access);
  if (!client) co_return fail(client.error());
  const auto sandbox = std::make_shared<ManagedSandbox>(std::move(*client), std::move(options));
  if (const auto acquired = co_await sandbox->acquire(); !acquired) {
    co_return fail(acquired.error());
  }
  const GatewaySandbox& facts = sandbox->facts();
  // Where a command could do harm each one has to be seen by those who watch over the gateway.
  const bool may_carry = facts.isolated.value_or(false) && !sandbox->options().plain;
  if (may_carry && can_carry(facts)) {
    co_return co_await carrier::make_carried_environment(carried(executor, sandbox));
  }
  co_return std::make_unique<ExecEnvironment>(sandbox);
}

}  // namespace talaria::environment::managed
