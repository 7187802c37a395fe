#include "environment/ssh/ssh_environment.h"

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/message.h"
#include "environment/ask_program.h"
#include "environment/carrier/carried_environment.h"
#include "environment/ssh/ssh_command.h"
#include "os/file.h"
#include "os/file_facts.h"
#include "os/find_program.h"
#include "os/random.h"
#include "rendezvous/runner_place.h"

namespace talaria::environment::ssh {
namespace {

constexpr auto kStopPatience = std::chrono::seconds(2);
constexpr auto kLoginPatience = std::chrono::seconds(20);  // once connected, for slow rc files
constexpr int kFailedCode = 255;                           // of ssh itself
constexpr const char* kTwice = ", over the shared connection and then over a new one";

// A host's own directories, as opposed to a container's: what is below /var/tmp outlives a reboot.
// Hosts may share a home.
carrier::RunnerPlaces host_places(const std::string& home_mark) {
  return {.own = {"\"${HOME:-/root}/.talaria\"", "\"/var/tmp/talaria-$(id -u)\"",
                  "\"/tmp/talaria-$(id -u)\"", "\"/dev/shm/talaria-$(id -u)\"", "/opt/talaria",
                  "/var/lib/talaria"},
          .name = carrier::own_name("run-$(uname -n)", home_mark)};
}

// What to check depends on how far ssh came.
std::string advice(std::string_view why) {
  if (why.contains("Permission denied")) return "Check TERMINAL_SSH_USER and TERMINAL_SSH_KEY.";
  if (why.contains("user config file")) return "Check TERMINAL_SSH_CONFIG.";
  return why.contains("Identity file")
             ? "Check TERMINAL_SSH_HOST, TERMINAL_SSH_PORT and TERMINAL_SSH_KEY."
             : "Check TERMINAL_SSH_HOST and TERMINAL_SSH_PORT.";
}

std::string no_connection(const std::string& why) {
  return "SSH connection failed: " + as_sentence(why) + " " + advice(why);
}

// With another exit code than its own, ssh was connected. A shell that ends by itself gives no
// reason, and what a host prints at a login (its banner) is none.
std::string no_connection(const carrier::CarrierFailure& failure) {
  const bool shell_ended =
      failure.exit_code ? *failure.exit_code != kFailedCode : failure.no_output;
  if (!shell_ended) return no_connection(failure.message);
  return "SSH connection failed: the login shell there ended before it ran a command: it may not "
         "be usable, or an rc file (~/.bashrc) may contain `exit`" +
         (failure.no_output ? "" : ". It printed: " + failure.message);
}

std::string no_answer(const std::string& login, const std::string& why) {
  return "SSH connection to " + login + " timed out: " + why +
         ". An rc file there may wait for something";
}

// What ssh would do with our defaults behind the person's own configuration.
Task<Result<SshCommand>> find_command(SshConfig config, std::string home) {
  const auto directory =
      rendezvous::socket_directory(home + "/talaria/ssh", kLongestControlDirectory);
  if (!directory) co_return fail(directory.error());
  const std::string control_path = *directory + "/" + control_name(config);
  const std::string config_path = *directory + "/asked-" + os::random_hex(8);
  const auto written = os::replace_file(config_path, layered_config(config, control_path));
  if (!written) co_return fail(written.error());
  const auto answer = co_await ask_program({.argv = question(config, config_path)});
  os::remove_file(config_path);
  if (!answer) co_return fail(answer.error());
  if (answer->code != 0) {
    co_return fail(ErrorKind::unavailable, no_connection(answer->complaint));
  }
  co_return ssh_command(config, control_path, answer->output);
}

// Streams over the shared connection. If one that existed before hangs (its network is gone, or the
// process that holds it was stopped), a direct connection is used instead. If a new one hangs, it
// is an rc file there that does not end: each further try would leave another shell at the host.
class SshLine {
 public:
  SshLine(const asio::any_io_executor& executor, const SshConfig& config,
          const EnvironmentSpec& spec, SshCommand command)
      : command_(std::move(command)),
        carrier_(std::make_shared<carrier::Carrier>(executor, carrier_options(config, spec))) {}

  Task<Result<link::ByteStream>> connect() {
    const bool is_new = !command_.control_path.empty() && !os::file_facts(command_.control_path);
    carrier_->use_command(command_.shared);
    silent_ = false;
    again_ = false;
    auto stream = co_await carrier_->connect();
    if (stream || !silent_) co_return stream;
    if (!command_.stop_sharing.empty()) {
      (void)co_await ask_program({.argv = command_.stop_sharing, .patience = kStopPatience});
    }
    if (is_new) co_return stream;
    carrier_->use_command(command_.direct);
    again_ = true;
    co_return co_await carrier_->connect();
  }

  const std::shared_ptr<carrier::Carrier>& carrier() const { return carrier_; }

 private:
  carrier::CarrierOptions carrier_options(const SshConfig& config, const EnvironmentSpec& spec) {
    const std::string login = config.login();
    return {.command = command_.shared,
            .joins_arguments = true,
            .batches = spec.batches,
            .places = host_places(spec.home_mark),
            .lifetime = spec.lifetime,
            .patience = command_.connect_timeout + kLoginPatience,
            .name = "ssh " + login,
            .explain = [this, login](const carrier::CarrierFailure& failure) {
              silent_ = failure.silent;
              if (!failure.silent) return no_connection(failure);
              return no_answer(login, failure.message + (again_ ? kTwice : ""));
            }};
  }

  SshCommand command_;
  bool silent_ = false;  // the last failure was that
  bool again_ = false;   // it was the second one
  std::shared_ptr<carrier::Carrier> carrier_;
};

}  // namespace

Result<void> check_ssh(const SshConfig& config) {
  if (!os::find_program("ssh")) {
    return fail(ErrorKind::unavailable,
                "SSH is not installed or not in PATH. Install OpenSSH client: apt install "
                "openssh-client");
  }
  return check_ssh_config(config);
}

Task<Result<void>> reach_ssh(SshConfig config, std::string home) {
  if (const auto enough = check_ssh(config); !enough) co_return enough;
  const auto command = co_await find_command(config, std::move(home));
  if (!command) co_return fail(command.error());
  const auto start = carrier::carrier_by(co_await asio::this_coro::executor,
                                         {.command = command->shared, .joins_arguments = true});
  const auto failure = co_await carrier::try_carrier(start);
  if (!failure) co_return Result<void>();
  if (!failure->silent) co_return fail(ErrorKind::unavailable, no_connection(*failure));
  co_return fail(ErrorKind::timed_out, no_answer(config.login(), failure->message));
}

Task<Result<std::unique_ptr<Environment>>> make_ssh_environment(SshConfig config,
                                                                EnvironmentSpec spec) {
  if (const auto enough = check_ssh(config); !enough) co_return fail(enough.error());
  auto command = co_await find_command(config, spec.home);
  if (!command) co_return fail(command.error());
  const auto line = std::make_shared<SshLine>(co_await asio::this_coro::executor, config, spec,
                                              std::move(*command));
  // The carrier reports failures to the line, so they must live equally long.
  carrier::CarriedTarget target{
      .carrier = std::shared_ptr<carrier::Carrier>(line, line->carrier().get()),
      .connect = [line] { return line->connect(); },
      .options = {.target = "ssh",
                  .place = config.address(),
                  .persistent = true,
                  .elsewhere = true,
                  .login = std::move(spec.login)},
      .plain = spec.plain};
  co_return co_await carrier::make_carried_environment(std::move(target));
}

}  // namespace talaria::environment::ssh
