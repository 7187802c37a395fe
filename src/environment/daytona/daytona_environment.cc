#include "environment/daytona/daytona_environment.h"

#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "environment/carrier/carried_environment.h"
#include "environment/carrier/idle_runner.h"
#include "environment/daytona/daytona_sandbox.h"
#include "environment/daytona/pty_carrier.h"
#include "environment/task_lease.h"

namespace talaria::environment::daytona {
namespace {

constexpr auto kLookPause = std::chrono::milliseconds(20);
constexpr int kMostLooks = 250;

// Streams to the runner in the task's sandbox, whichever that is.
class DaytonaLine {
 public:
  DaytonaLine(const asio::any_io_executor& executor, std::shared_ptr<DaytonaSandbox> sandbox)
      : sandbox_(std::move(sandbox)),
        carrier_(std::make_shared<carrier::Carrier>(executor, carrier_options(executor))) {}

  // `*this` must outlive it.
  Task<Result<link::ByteStream>> connect() {
    if (const auto ready = co_await sandbox_->be_ready(); !ready) co_return fail(ready.error());
    const std::uint64_t before = sandbox_->generation();
    auto stream = co_await carrier_->connect();
    if (stream) co_return stream;
    // It may have been stopped or lost just then.
    if (const auto ready = co_await sandbox_->be_ready(); !ready) co_return fail(ready.error());
    if (sandbox_->generation() == before) co_return stream;
    co_return co_await carrier_->connect();
  }

  // `*this` must outlive it. A sandbox with processes keeps running, also if they were started from
  // another machine; the next sweep looks again.
  Task<Result<void>> close(bool remove) {
    const EnvironmentSpec& spec = sandbox_->spec();
    // Without a runner nothing outlives its command.
    if (remove || !spec.container.persistent || spec.plain)
      co_return co_await sandbox_->close(remove);
    co_await terminals_end();  // or our own link would count as a user
    co_return co_await sandbox_->close(remove, [this] { return is_idle(); });
  }

  const std::shared_ptr<carrier::Carrier>& carrier() const { return carrier_; }

 private:
  // Asked by one program at a time: two would take each other's question for a use. One that cannot
  // be asked would cost money for ever, because no program could reach it.
  Task<bool> is_idle() {
    const Progress& progress = sandbox_->spec().progress;
    const auto idle = co_await carrier::is_runner_idle(carrier_);
    if (!idle && progress) {
      progress("it is unknown whether processes run in the sandbox (" + idle.error().message() +
               "), so it is stopped, and its processes end");
    }
    if (!idle || *idle) co_return true;
    co_await terminals_end();
    co_return false;
  }

  // Waits for the terminals of a sandbox that keeps running: if we ended first, they and the links
  // they carry would count as users.
  Task<void> terminals_end() {
    asio::steady_timer pause(co_await asio::this_coro::executor);
    for (int looks = 0; looks < kMostLooks && *terminals_ > 0; ++looks) {
      pause.expires_after(kLookPause);
      co_await pause.async_wait(as_values);
    }
  }

  carrier::CarrierOptions carrier_options(const asio::any_io_executor& executor) const {
    const EnvironmentSpec& spec = sandbox_->spec();
    carrier::CarrierOptions made = daytona_carrier(
        executor,
        [sandbox = sandbox_, terminals = terminals_] {
          ++*terminals;
          const std::shared_ptr<void> held(nullptr, [terminals](void*) { --*terminals; });
          return PtyAccess{
              .toolbox = sandbox->daemon(), .key = sandbox->config().key, .held = held};
        },
        spec.lifetime);
    made.batches = spec.batches;
    made.explain = [sandbox = sandbox_](const carrier::CarrierFailure& failure) {
      return "the " + sandbox->place() + " of Daytona cannot be reached: " + failure.message;
    };
    return made;
  }

  std::shared_ptr<DaytonaSandbox> sandbox_;
  std::shared_ptr<int> terminals_ = std::make_shared<int>(0);  // that are there now
  std::shared_ptr<carrier::Carrier> carrier_;
};

TargetOptions options_for(const std::shared_ptr<DaytonaSandbox>& sandbox,
                          const std::shared_ptr<DaytonaLine>& line) {
  TargetOptions options = target_options(sandbox);
  options.close = [line](bool remove) { return line->close(remove); };
  return options;
}

Result<void> check_image(const std::string& image) {
  if (!image.empty() && image.find_first_of(" \t\r\n") == std::string::npos) return {};
  return fail(ErrorKind::bad_request, "TERMINAL_DAYTONA_IMAGE: '" + image +
                                          "' is not an image: it is empty or contains white space");
}

}  // namespace

Result<void> check_daytona(const DaytonaConfig& config) {
  if (config.key.empty()) {
    return fail(ErrorKind::bad_request,
                "Daytona requires DAYTONA_API_KEY: create a key at "
                "https://app.daytona.io/dashboard/keys and set it in the environment or in "
                "<home>/.env");
  }
  const auto client = DaytonaClient::make(config);
  if (!client) return fail(client.error());
  return {};
}

Task<Result<bool>> is_daytona_sandbox_up(DaytonaConfig config, EnvironmentSpec spec) {
  const auto client = DaytonaClient::make(config);
  if (!client) co_return fail(client.error());
  const auto lease =
      newest_lease(spec.home, daytona_lease((*client)->identity(), spec.task, "", true));
  if (!lease) co_return false;
  const auto facts = co_await (*client)->get(lease->facts.name);
  if (!facts && facts.error().kind() == ErrorKind::not_found) co_return false;
  if (!facts) co_return fail(facts.error());
  co_return standing_of(facts->state) == DaytonaStanding::ready;
}

Task<Result<std::unique_ptr<Environment>>> make_daytona_environment(DaytonaConfig config,
                                                                    EnvironmentSpec spec) {
  if (const auto enough = check_daytona(config); !enough) co_return fail(enough.error());
  if (const auto image = check_image(config.image); !image) co_return fail(image.error());
  const auto executor = co_await asio::this_coro::executor;
  auto client = DaytonaClient::make(config);
  if (!client) co_return fail(client.error());
  const bool existing = spec.existing;
  const bool plain = spec.plain;
  const auto sandbox = std::make_shared<DaytonaSandbox>(std::move(*client), std::move(spec));
  if (const auto acquired = co_await sandbox->acquire(); !acquired) {
    co_return fail(acquired.error());
  }
  const auto line = std::make_shared<DaytonaLine>(executor, sandbox);
  const link::LinkDriver::Connect connect = [line] { return line->connect(); };
  // To be removed, it need not be started.
  if (existing) {
    co_return std::make_unique<LinkEnvironment>(executor, options_for(sandbox, line), connect);
  }
  carrier::CarriedTarget target{.carrier = line->carrier(),
                                .connect = connect,
                                .options = options_for(sandbox, line),
                                .plain = plain};
  auto made = co_await carrier::make_carried_environment(std::move(target));
  if (!made) (void)co_await sandbox->close(false);
  co_return std::move(made);
}

}  // namespace talaria::environment::daytona
