#include "environment/singularity/engine.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/value.hpp>

#include "base/text.h"
#include "environment/ask_program.h"
#include "json/json_text.h"
#include "os/find_program.h"
#include "os/proc.h"

namespace talaria::environment::singularity {
namespace {

using std::chrono::seconds;

constexpr seconds kVersionPatience{10};
constexpr seconds kListPatience{10};
constexpr seconds kStartPatience{120};
constexpr seconds kStopPatience{30};
constexpr seconds kBuildPatience{600};
constexpr std::size_t kShownOfVersion = 200;
constexpr std::size_t kShownComplaint = 2000;  // of its end

// Its error output, without lines that are not errors.
std::string reason(const ProgramAnswer& answer) {
  const std::string text =
      sanitize_utf8(answer.complaint.empty() ? answer.output : answer.complaint);
  const std::string_view shown = trim(last_bytes(text, kShownComplaint));
  return shown.empty() ? "exit code " + std::to_string(answer.code) : std::string(shown);
}

// The engine also lists an instance that has died and that was not reaped, as happens where
// process 1 does not do that.
bool lives(const json::value& instance) {
  const json::object* const fields = instance.if_object();
  const json::value* const pid = fields ? fields->if_contains("pid") : nullptr;
  if (!pid || !pid->is_int64()) return true;
  const auto process = os::read_process_stat(static_cast<pid_t>(pid->get_int64()));
  return process && process->state != 'Z';
}

}  // namespace

Result<SingularityEngine> SingularityEngine::find() {
  for (const char* name : {"apptainer", "singularity"}) {
    if (auto program = os::find_program(name)) return SingularityEngine(name, std::move(*program));
  }
  return fail(ErrorKind::unavailable,
              "Neither 'apptainer' nor 'singularity' was found in PATH. Install Apptainer "
              "(https://apptainer.org/docs/admin/main/installation.html), or load its module, and "
              "try again.");
}

std::string SingularityEngine::identity() const {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) < 0) return name_;
  return name_ + "@" + host.data();
}

Task<Result<void>> SingularityEngine::check() const {
  const auto answer =
      co_await ask_program({.argv = {program_, "version"}, .patience = kVersionPatience});
  if (!answer && answer.error().kind() == ErrorKind::timed_out) {
    co_return fail(ErrorKind::unavailable, "'" + name_ + " version' timed out.");
  }
  if (!answer) co_return fail(ErrorKind::unavailable, answer.error().message());
  if (answer->code == 0) co_return Result<void>();
  const std::string said = sanitize_utf8(answer->complaint);
  co_return fail(ErrorKind::unavailable,
                 "'" + name_ + " version' failed (exit code " + std::to_string(answer->code) +
                     "): " + std::string(first_chars(said, kShownOfVersion)));
}

Task<Result<bool>> SingularityEngine::is_running(std::string instance) const {
  const auto answer = co_await ask_program(
      {.argv = {program_, "instance", "list", "--json", instance}, .patience = kListPatience});
  if (!answer) co_return fail(answer.error());
  const auto list = answer->code == 0 ? parse_object(answer->output, "the list of instances")
                                      : fail(ErrorKind::system, reason(*answer));
  if (!list) {
    co_return fail(ErrorKind::unavailable,
                   "'" + name_ + " instance list' failed: " + list.error().message());
  }
  const json::value* const instances = list->if_contains("instances");
  co_return instances && instances->is_array() &&
      std::ranges::any_of(instances->get_array(), lives);
}

Task<Result<void>> SingularityEngine::start(InstanceSpec spec, std::string instance) const {
  std::vector<std::string> argv = instance_arguments(spec, instance);
  argv.insert(argv.begin(), program_);
  const auto answer = co_await ask_program({.argv = std::move(argv), .patience = kStartPatience});
  if (!answer && answer.error().kind() == ErrorKind::timed_out) {
    co_return fail(ErrorKind::unavailable,
                   "Instance start timed out (" + std::to_string(kStartPatience.count()) + " s)");
  }
  if (!answer) co_return fail(ErrorKind::unavailable, answer.error().message());
  if (answer->code == 0) co_return Result<void>();
  co_return fail(ErrorKind::unavailable, "Failed to start instance: " + reason(*answer));
}

Task<Result<void>> SingularityEngine::stop(std::string instance) const {
  const auto answer = co_await ask_program(
      {.argv = {program_, "instance", "stop", instance}, .patience = kStopPatience});
  if (answer && answer->code == 0) co_return Result<void>();
  const auto left = co_await is_running(instance);
  if (left && !*left) co_return Result<void>();
  co_return fail(ErrorKind::unavailable, "instance " + instance + " could not be stopped: " +
                                             (answer ? reason(*answer) : answer.error().message()));
}

Task<Result<void>> SingularityEngine::build(std::string sif, std::string image,
                                            std::string cache) const {
  const auto answer = co_await ask_program(
      {.argv = {program_, "build", sif, image},
       .added = {"APPTAINER_TMPDIR=" + cache + "/tmp", "APPTAINER_CACHEDIR=" + cache},
       .patience = kBuildPatience});
  if (!answer) co_return fail(answer.error());
  if (answer->code == 0) co_return Result<void>();
  co_return fail(ErrorKind::unavailable, reason(*answer));
}

}  // namespace talaria::environment::singularity
