#include "environment/carrier/carrier_run.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "base/time_limit.h"
#include "environment/child_end.h"
#include "os/file.h"
#include "os/own_process.h"
#include "os/random.h"
#include "os/unique_fd.h"
#include "shell/quote.h"

namespace talaria::environment::carrier {
namespace {

constexpr std::size_t kShownError = 2000;  // of its end
constexpr std::size_t kMostComplaints = 64 * 1024;
constexpr std::size_t kMostOutput = 1u << 20;  // of a script

constexpr auto kExitPatience = std::chrono::seconds(10);
constexpr auto kCodePatience = std::chrono::seconds(1);
constexpr std::chrono::milliseconds kTryPatience = std::chrono::seconds(15);

// A process that ends by itself. If the loop ends before that it is on its own, be it that the
// coroutine that waits for it has not even begun.
struct Leaving {
  explicit Leaving(os::ChildProcess its_process)
      : process(std::move(its_process)), dismissal(&process, 0) {}

  os::ChildProcess process;
  Dismissal dismissal;
};

// Waits for it, and for so long only.
Task<void> see_off(std::unique_ptr<Leaving> leaving) {
  (void)co_await ends_within(leaving->process, kExitPatience);
  leaving->dismissal.cancel();  // if it has not ended it is killed now
}

// A carrier that is a process, with its complaints in a memory file.
struct CarrierProcess {
  CarrierProcess(os::ChildProcess its_process, os::UniqueFd its_complaints)
      : process(std::move(its_process)), complaints(std::move(its_complaints)) {}
  CarrierProcess(const CarrierProcess&) = delete;
  CarrierProcess& operator=(const CarrierProcess&) = delete;
  ~CarrierProcess() {
    if (loop) spawn(*loop, see_off(std::make_unique<Leaving>(std::move(process))));
  }

  os::ChildProcess process;
  os::UniqueFd complaints;
  std::optional<asio::any_io_executor> loop;  // where it is seen off; else it is killed

  // The end of what it wrote to standard error.
  std::string complaint() const {
    auto text = os::read_whole(complaints.get(), kMostComplaints);
    if (!text) return {};
    text->resize(std::min(text->find('\0'), text->size()));
    while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
    return text->substr(text->size() - std::min(text->size(), kShownError));
  }
};

// It stays to be waited for.
Task<std::optional<int>> exit_code_of(std::shared_ptr<CarrierProcess> carrier) {
  const auto ended = co_await ends_within(carrier->process, kCodePatience);
  if (!ended || !*ended) co_return std::nullopt;
  siginfo_t info{};
  const auto pid = static_cast<id_t>(carrier->process.pid());
  if (::waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0) co_return std::nullopt;
  if (info.si_code != CLD_EXITED) co_return std::nullopt;
  co_return info.si_status;
}

Result<std::shared_ptr<CarrierRun>> start_process(const asio::any_io_executor& executor,
                                                  const CarrierCommand& command,
                                                  const std::string& script) {
  auto complaints = os::make_bounded_memory_file("talaria-carrier-stderr", kMostComplaints);
  if (!complaints) return fail(complaints.error());
  const std::string program = command.joins_arguments
                                  ? shell::single_quote("sh -c " + shell::single_quote(script))
                                  : "sh -c " + shell::single_quote(script);
  const std::string line = "exec " + command.command + " " + program;
  const os::SpawnSpec spec{.path = "/bin/sh",
                           .argv = {"sh", "-c", line.c_str()},
                           .env = os::own_environment_with(command.added)};
  auto child = os::spawn_piped(spec, complaints->get());
  if (!child) return fail(child.error());
  os::set_nonblocking(child->input.get());
  os::set_nonblocking(child->output.get());
  const auto process =
      std::make_shared<CarrierProcess>(std::move(child->process), std::move(*complaints));
  if (command.ends_by_itself) process->loop = executor;
  return std::make_shared<CarrierRun>(
      process, [process] { return process->complaint(); },
      asio::posix::stream_descriptor(executor, child->input.release()),
      asio::posix::stream_descriptor(executor, child->output.release()),
      [process] { return exit_code_of(process); });
}

}  // namespace

StartCarrier carrier_by(asio::any_io_executor executor, CarrierCommand command) {
  return [executor = std::move(executor), command = std::move(command)](const std::string& script) {
    return start_process(executor, command, script);
  };
}

Task<std::expected<std::string, CarrierFailure>> run_carrier(StartCarrier start, std::string script,
                                                             std::chrono::milliseconds patience) {
  const std::string nonce = os::random_hex(12);
  const std::string begin = "TALARIA-BEGIN " + nonce + "\n";
  const std::string end = "TALARIA-END " + nonce + "\n";
  auto run = start("echo " + begin + script + "\necho " + end);
  if (!run) co_return std::unexpected(CarrierFailure{.message = run.error().message()});
  boost::system::error_code ignored;
  (*run)->input.close(ignored);
  std::string said;
  std::array<char, 16384> chunk;
  for (;;) {
    const auto from = said.find(begin);
    if (const auto to = said.find(end); from != std::string::npos && to != std::string::npos) {
      co_return said.substr(from + begin.size(), to - from - begin.size());
    }
    const auto read =
        co_await within(patience, (*run)->output.async_read_some(asio::buffer(chunk), as_values));
    if (!read) {
      co_return std::unexpected(
          CarrierFailure{.message = "no answer in " + in_seconds(patience) + " s", .silent = true});
    }
    const auto [error, size] = *read;
    said.append(chunk.data(), size);
    if (!error && said.size() <= kMostOutput) continue;
    CarrierFailure failure;
    if (error && (*run)->exit_code && !said.contains(begin)) {
      failure.exit_code = co_await (*run)->exit_code();
    }
    const std::string complaint = (*run)->complaint();
    failure.message = complaint.empty() ? said : complaint;
    co_return std::unexpected(std::move(failure));
  }
}

Task<std::optional<CarrierFailure>> try_carrier(StartCarrier start) {
  const auto answer =
      co_await within(kTryPatience, run_carrier(std::move(start), "echo $((6 * 7))", kTryPatience));
  if (!answer) {
    co_return CarrierFailure{.message = "no answer in " + in_seconds(kTryPatience) + " s",
                             .silent = true};
  }
  if (!*answer) co_return in_words(answer->error());
  if (**answer == "42\n") co_return std::nullopt;
  co_return CarrierFailure{.message = "it printed its arguments instead of running them"};
}

CarrierFailure in_words(CarrierFailure failure) {
  failure.no_output |= failure.message.empty();
  if (failure.message.empty()) failure.message = "it ended without output";
  return failure;
}

}  // namespace talaria::environment::carrier
