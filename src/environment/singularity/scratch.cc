#include "environment/singularity/scratch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "environment/ask_program.h"
#include "environment/singularity/instance_flags.h"
#include "os/directory.h"
#include "os/file.h"

namespace talaria::environment::singularity {
namespace {

constexpr std::string_view kOurs = "hermes-";  // how names begin of what upstream and we keep there
constexpr std::string_view kOverlays = "hermes-overlays";
constexpr std::chrono::seconds kCountPatience{5};
constexpr double kKilobytesPerGb = 1024.0 * 1024.0;

Result<void> make_directories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return fail(ErrorKind::system, "mkdir " + path + ": " + error.message());
  return {};
}

bool can_be_used(const std::string& path) {
  return make_directories(path) && ::access(path.c_str(), W_OK) == 0;
}

std::string chosen_directory(const ScratchRules& rules) {
  if (!rules.scratch_dir.empty()) return rules.scratch_dir;
  if (::access(rules.site_scratch.c_str(), W_OK) == 0 ||
      os::is_plain_directory(rules.site_scratch + "/" + rules.user)) {
    std::string ours =
        rules.site_scratch + "/" + (rules.user.empty() ? "hermes" : rules.user) + "/hermes-agent";
    if (can_be_used(ours)) return ours;
  }
  return rules.sandbox_dir + "/singularity";
}

}  // namespace

ScratchRules scratch_rules(const SingularityConfig& config, const std::string& sandbox_dir) {
  const char* const user = std::getenv("USER");
  return {.scratch_dir = config.scratch_dir,
          .cache_dir = config.cache_dir,
          .sandbox_dir = sandbox_dir,
          .user = user == nullptr ? "" : user};
}

Result<Scratch> make_scratch(const ScratchRules& rules) {
  Scratch scratch{.directory = chosen_directory(rules)};
  scratch.cache = rules.cache_dir.empty() ? scratch.directory + "/.apptainer" : rules.cache_dir;
  for (const std::string& path : {scratch.directory, scratch.cache}) {
    if (const auto made = make_directories(path); !made) return fail(made.error());
  }
  return scratch;
}

std::string overlays_directory(const Scratch& scratch) {
  return scratch.directory + "/" + std::string(kOverlays);
}

std::string overlay_directory(const Scratch& scratch, const std::string& name) {
  return overlays_directory(scratch) + "/" + name;
}

Result<void> rename_overlay(const Scratch& scratch, const std::string& from,
                            const std::string& to) {
  const std::string before = overlay_directory(scratch, from);
  const std::string after = overlay_directory(scratch, to);
  if (::renameat2(AT_FDCWD, before.c_str(), AT_FDCWD, after.c_str(), RENAME_NOREPLACE) == 0 ||
      errno == ENOENT) {
    return {};
  }
  return fail(Error::from_errno("rename " + before + " to " + after));
}

Result<std::string> make_overlay(const Scratch& scratch, const std::string& name) {
  std::string overlay = overlay_directory(scratch, name);
  if (const auto usable = check_overlay(overlay); !usable) return fail(usable.error());
  // What sessions keep is in it; how a directory of upstream's looks is not ours to change.
  const std::string all = overlays_directory(scratch);
  if (::mkdir(all.c_str(), 0700) < 0 && errno != EEXIST) {
    return fail(Error::from_errno("mkdir " + all));
  }
  if (const auto made = make_directories(overlay); !made) return fail(made.error());
  return overlay;
}

Task<std::string> disk_warning(std::string scratch, double most_gb) {
  ProgramCall call{.argv = {"du", "-skc"}, .patience = kCountPatience};
  for (const std::string& name : os::names_in(scratch)) {
    if (name.starts_with(kOurs)) call.argv.push_back(scratch + "/" + name);
  }
  if (call.argv.size() == 2) co_return "";
  const auto answer = co_await ask_program(std::move(call));
  if (!answer) co_return "";
  // The last line is the sum: "1234\ttotal".
  std::string_view lines = answer->output;
  while (lines.ends_with('\n')) lines.remove_suffix(1);
  const std::string_view sum = lines.substr(lines.rfind('\n') + 1);
  double kilobytes = 0;
  if (std::from_chars(sum.data(), sum.data() + sum.size(), kilobytes).ec != std::errc()) {
    co_return "";
  }
  const double gb = kilobytes / kKilobytesPerGb;
  if (gb <= most_gb) co_return "";
  std::array<char, 160> text;
  const int size = std::snprintf(text.data(), text.size(),
                                 "Disk usage (%.1fGB) exceeds threshold (%.0fGB). Consider running "
                                 "cleanup_all_environments().",
                                 gb, most_gb);
  co_return std::string(text.data(), static_cast<std::size_t>(size));
}

}  // namespace talaria::environment::singularity
