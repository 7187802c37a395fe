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
  const EnvironmentSpec& spec = sandbox->spec();
  carrier::CarrierOptions carrier{.places = {.mounted = kMountedRunners, .name = "run-managed"},
                                  .lifetime = spec.lifetime,
                                  .name = "the gateway " + sandbox->client()->host(),
                                  .start = carrier_by_execs(executor, sandbox),
                                  .explain = [sandbox](const carrier::CarrierFailure& failure) {
                                    return "the " + sandbox->place() +
                                           " cannot be reached: " + failure.message;
                                  }};
  TargetOptions options = target_options(sandbox);
  options.isolated = true;
  return {.carrier = std::make_shared<carrier::Carrier>(executor, std::move(carrier)),
          .options = std::move(options)};
}

}  // namespace

Result<void> check_managed(const ManagedConfig& config, bool has_credential_files,
                           const ReadToken& read_token) {
  if (!config.problem.empty()) return fail(ErrorKind::bad_request, config.problem);
  if (has_credential_files) {
    return fail(ErrorKind::bad_request,
                "Managed Modal does not support host credential-file passthrough. Use "
                "TERMINAL_MODAL_MODE=direct when skills or config require credential files inside "
                "the sandbox.");
  }
  if (config.origin.empty() || read_token().empty()) {
    return fail(ErrorKind::bad_request,
                "Managed Modal requires a configured tool gateway and Nous user token. Set "
                "TOOL_GATEWAY_USER_TOKEN, and MODAL_GATEWAY_URL for a gateway of your own. For "
                "`talaria serve`, `talaria token add NAME` creates the token");
  }
  return {};
}

Task<Result<std::unique_ptr<Environment>>> make_managed_environment(ManagedConfig config,
                                                                    EnvironmentSpec spec,
                                                                    ReadToken read_token) {
  if (const auto usable = check_managed(config, spec.has_credential_files, read_token); !usable) {
    co_return fail(usable.error());
  }
  const auto executor = co_await asio::this_coro::executor;
  auto client = GatewayClient::make(config, std::move(read_token));
  if (!client) co_return fail(client.error());
  const auto sandbox = std::make_shared<ManagedSandbox>(std::move(*client), std::move(config.image),
                                                        std::move(spec));
  if (const auto acquired = co_await sandbox->acquire(); !acquired) {
    co_return fail(acquired.error());
  }
  const GatewaySandbox& facts = sandbox->facts();
  // Where a command could do harm, the operator of the gateway must be able to see each one.
  const bool may_carry = facts.isolated.value_or(false) && !sandbox->spec().plain;
  if (may_carry && can_carry(facts)) {
    co_return co_await carrier::make_carried_environment(carried(executor, sandbox));
  }
  co_return std::make_unique<ExecEnvironment>(sandbox);
}

}  // namespace talaria::environment::managed
