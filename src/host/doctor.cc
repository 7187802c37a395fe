#include "host/doctor.h"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <talaria/version.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "base/message.h"
#include "base/text.h"
#include "environment/runner_control.h"
#include "environment/runner_image.h"
#include "environment/warm_pool.h"
#include "host/config.h"
#include "host/local_runners.h"
#include "host/override_store.h"
#include "host/shared/shared_files.h"
#include "host/store/home_database.h"
#include "host/sync/received_file.h"
#include "host/sync/sync_back.h"
#include "host/withheld.h"
#include "os/cgroup.h"
#include "os/child_process.h"
#include "os/directory.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "os/own_process.h"
#include "os/part_name.h"
#include "os/tree_walk.h"

namespace talaria::host {
namespace {

namespace fs = std::filesystem;

constexpr auto kProgramPatience = std::chrono::milliseconds(5'000);
constexpr rlim_t kFewDescriptors = 1024;
constexpr std::uint64_t kFullDisk = 16u << 20;
constexpr std::uint64_t kLowDisk = 512u << 20;
constexpr std::size_t kLongestTrialHome = 60;  // a socket's path has 108 bytes

Finding check_home(const std::string& home) {
  const std::string place = home + "/talaria";
  const auto made = os::make_private_directory(place);
  if (!made) {
    return {Verdict::fail, "home", made.error().message(),
            "set TALARIA_HOME to a directory that only you can write to"};
  }
  const std::string probe = place + "/doctor-probe";
  const auto written = os::replace_file(probe, "");
  os::remove_file(probe);
  if (!written) {
    return {Verdict::fail, "home", written.error().message(),
            "free some space or make it writable, or set TALARIA_HOME"};
  }
  return {Verdict::ok, "home", place + " is writable and private", ""};
}

Finding check_config(const Result<Config>& config) {
  if (!config) {
    return {Verdict::fail, "configuration", config.error().message(),
            "see 'talaria config'; calls fail until it is fixed"};
  }
  if (!config->notices.empty()) {
    return {Verdict::warn, "configuration", config->notices.front(), "see 'talaria config'"};
  }
  return {Verdict::ok, "configuration", "valid", ""};
}

Finding check_target(const Config& config, const Result<void>& target) {
  if (!target) return {Verdict::fail, "target", target.error().message(), "see 'talaria config'"};
  // Those are asked only when a command runs: to ask may cost money.
  if (has_word("managed modal daytona", config.target)) {
    return {Verdict::ok, "target",
            config.target +
                " is configured; the connection was not tested ('talaria doctor "
                "--check " +
                config.target + "' tests it)",
            ""};
  }
  return {Verdict::ok, "target", config.target + " is available", ""};
}

Finding check_space(const std::string& home) {
  struct statvfs disk{};
  if (::statvfs((home + "/talaria").c_str(), &disk) != 0) {
    return {Verdict::warn, "disk", Error::from_errno(home).message(), "see 'home'"};
  }
  const std::uint64_t free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  const std::string found = std::to_string(free >> 20) + " MB free for " + home + "/talaria";
  const std::string advice =
      "free some space; sessions, output and events of commands are stored there";
  if (free < kFullDisk) return {Verdict::fail, "disk", found, advice};
  if (free < kLowDisk) return {Verdict::warn, "disk", found, advice};
  return {Verdict::ok, "disk", found, ""};
}

// Reads all of it.
Finding check_store(const std::string& home) {
  const std::string path = home_database_path(home);
  const std::string advice = "move " + path +
                             " away: the next program makes a new one; events, approvals and "
                             "sandboxes of the old one are lost";
  HomeDatabase database(home);
  if (!database.exists()) return {Verdict::ok, "store", "nothing is stored yet", ""};
  const auto text = [](const Query& row) { return row.text(0); };
  const auto checked = database.first(text, "PRAGMA quick_check(1)");
  if (!checked) {
    const std::string& why = checked.error().message();
    const bool advises = why == as_sentence(why);  // the store says what to do where it can
    return {Verdict::fail, "store", why, advises ? "" : advice};
  }
  if (const std::string said = checked->value_or("no answer"); said != "ok") {
    return {Verdict::fail, "store", path + " is damaged: " + said, advice};
  }
  return {Verdict::ok, "store", path + " can be read", ""};
}

// Not a fault, but the reason why a program that needs one of them fails.
Finding check_variables(const Caller& caller, const Config& config) {
  std::string names;
  for (const std::string_view entry : caller.variables) {
    const std::string_view name = entry.substr(0, entry.find('='));
    if (is_of_the_agent(name) || is_inherited(name, config.env_passthrough.names())) continue;
    names += (names.empty() ? "" : ", ") + sanitize_utf8(name);
  }
  if (names.empty()) return {Verdict::ok, "variables", "no variable is withheld from commands", ""};
  return {Verdict::ok, "variables",
          "withheld from commands, because they are named like secrets: " + names +
              "; terminal.env_passthrough lists those that commands need",
          ""};
}

Finding check_overrides(const std::string& home) {
  OverrideStore store(home);
  if (const auto read = store.refresh(); !read) {
    return {Verdict::fail, "overrides", read.error().message(), "calls fail until it is fixed"};
  }
  return {Verdict::ok, "overrides", counted(store.overrides().size(), "task override"), ""};
}

Task<Finding> check_runner(std::string home) {
  const BuildFacts facts = build_facts();
  const std::string place = home + "/talaria";
  const bool fits = place.size() <= kLongestTrialHome && os::is_on_local_filesystem(place);
  const std::string prefix = fits ? place + "/doctor-" : "/var/tmp/talaria-doctor-";
  const auto directory = os::make_fresh_directory(prefix);
  if (!directory) {
    co_return Finding{Verdict::fail, "runner", directory.error().message(), "see 'home'"};
  }
  const auto tried = co_await environment::try_runner(*directory);
  std::error_code ignored;
  std::filesystem::remove_all(*directory, ignored);
  if (!tried) {
    co_return Finding{Verdict::fail, "runner", tried.error().message(),
                      "programs must be allowed to run from " + place +
                          " (no noexec mount), or set TALARIA_HOME"};
  }
  co_return Finding{Verdict::ok, "runner",
                    "starts and ends; " + os::machine_name() + ", " + std::string(facts.version) +
                        ", link " + facts.link_protocol,
                    ""};
}

std::string first_line(const std::string& text) {
  return std::string(trim(text.substr(0, text.find('\n'))));
}

Finding check_bash() {
  const auto said = os::program_output({"bash", "--version"}, kProgramPatience);
  if (!said) {
    return {Verdict::warn, "bash", said.error().message() + "; commands run in sh",
            "install bash in PATH: agents expect it, and sh does not keep functions"};
  }
  return {Verdict::ok, "bash", first_line(*said), ""};
}

Finding check_cgroups() {
  const auto group = os::own_cgroup();
  if (!group) {
    return {Verdict::warn, "cgroups", "cannot be created here",
            "no action is needed: processes are found by their parents instead"};
  }
  return {Verdict::ok, "cgroups", "can be created in " + *group, ""};
}

Finding check_descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const std::string found = std::to_string(limit.rlim_cur) + " can be open at the same time";
  if (limit.rlim_cur < kFewDescriptors) {
    return {Verdict::warn, "descriptors", found,
            "raise the limit (ulimit -n " + std::to_string(kFewDescriptors) +
                ") if many commands run at the same time"};
  }
  return {Verdict::ok, "descriptors", found, ""};
}

// A program that only the target of its name needs.
Finding check_program(const std::string& program, const std::string& question,
                      const std::string& target) {
  const auto said = os::program_output({program, question}, kProgramPatience);
  if (said) return {Verdict::ok, program, first_line(*said), ""};
  if (target == program) {
    return {Verdict::fail, program, "not installed", "install it, or use another target"};
  }
  return {Verdict::ok, program, "not installed (needed only for target " + program + ")", ""};
}

bool has_version_line(std::string_view output) {
  while (!output.empty()) {
    const std::string_view line = next_word(output, '\n');
    if (!line.empty() && is_digit(line.front())) return true;
  }
  return false;
}

// Its program is of no use without its daemon.
Finding check_docker(const std::string& target) {
  Finding found = check_program("docker", "--version", target);
  if (found.verdict != Verdict::ok || found.found.starts_with("not installed")) return found;
  const auto answer = os::program_output({"docker", "version", "--format", "{{.Server.Version}}"},
                                         kProgramPatience);
  if (answer && has_version_line(*answer)) return found;
  found.verdict = target == "docker" ? Verdict::fail : Verdict::warn;
  found.found = "installed (" + found.found + "), but the daemon does not answer";
  found.advice = "start it if you use target docker";
  return found;
}

Finding check_environments(const std::vector<RunnerEntry>& entries) {
  std::size_t running = 0;
  for (const RunnerEntry& entry : entries) {
    if (!entry.trouble.empty()) {
      return {Verdict::warn, "environments", entry.trouble, "see 'talaria env list'"};
    }
    running += entry.running ? 1 : 0;
  }
  return {Verdict::ok, "environments", std::to_string(running) + " running", ""};
}

// Absent: none is configured, and nothing waits.
std::optional<Finding> check_pools(const std::string& home, std::size_t size) {
  std::string found;
  bool full = true;
  for (const PoolInfo& pool : environment::known_pools(home)) {
    full &= pool.waiting >= pool.size;
    found += (found.empty() ? "" : ", ") + std::to_string(pool.waiting) +
             (pool.filled ? " of " + std::to_string(pool.size) : "") + " wait at " + pool.target +
             (pool.filled ? "" : ", and no program fills the pool");
  }
  if (found.empty() && size == 0) return std::nullopt;
  if (found.empty()) found = "nothing waits: no program that fills it runs";
  return Finding{full ? Verdict::ok : Verdict::warn, "pool", found,
                 full ? "" : "wait a moment; see 'talaria env list'"};
}

Finding check_left_processes(const std::vector<RunnerEntry>& entries, bool reap) {
  std::size_t ended = 0;
  for (const RunnerEntry& entry : entries) {
    if (entry.left.empty()) continue;
    if (reap && environment::end_left_processes(entry.directory)) {
      ended += entry.left.size();
      continue;
    }
    return {Verdict::warn, "processes",
            std::to_string(entry.left.size()) + " left by the killed runner of " + entry.id +
                (reap ? ", which do not end" : ", still running") + "; the first is " +
                entry.left.front(),
            reap ? "end them by hand"
                 : "end them with 'talaria stop --all --force'; the next runner ends them as well"};
  }
  return {Verdict::ok, "processes",
          reap ? "ended " + std::to_string(ended) + " left by killed runners"
               : "none left by killed runners",
          ""};
}

void add_all(std::vector<StaleFile>& found, const std::string& folder, const std::string& what) {
  for (const std::string& name : os::names_in(folder)) found.push_back({folder + "/" + name, what});
}

void add_of_stopped_runner(std::vector<StaleFile>& found, const std::string& directory) {
  for (const std::string& name : os::names_in(directory)) {
    if (name.ends_with(".sock")) {
      found.push_back({directory + "/" + name, "a socket without a listener"});
    }
  }
  for (const std::string& name : os::names_in(directory + "/spill")) {
    const std::string jobs = directory + "/jobs/";
    if (fs::exists(jobs + name) || fs::exists(jobs + "ended/" + name)) continue;  // it is known
    found.push_back(
        {directory + "/spill/" + name, "output of commands that were lost with their runner"});
  }
  add_all(found, directory + "/prelude", "texts for shells that are gone");
  for (const std::string& name : os::names_in(directory + "/sessions")) {
    if (name.ends_with(".new")) {
      found.push_back({directory + "/sessions/" + name, "a session's state, half written"});
    }
  }
}

void add_old_programs(std::vector<StaleFile>& found, const std::string& folder) {
  for (const std::string& name : os::names_in(folder)) {
    bool ours = false;
    for (const environment::RunnerImage& image : environment::runner_images())
      ours |= name == environment::runner_file_name(image.digest);
    if (!ours) found.push_back({folder + "/" + name, "a runner program of another version"});
  }
}

// Of files that were being copied when a program was killed. A program that copies some has the
// lock.
void add_parts(std::vector<StaleFile>& found, const std::string& home,
               const std::vector<SharedDirectory>& shared) {
  if (os::is_locked(sync_lock(home))) return;
  const std::string what = "a part of a file that was not brought back from a target";
  add_all(found, parts_directory(home), what);
  for (const SharedDirectory& one : shared) {
    auto walk = os::TreeWalk::below(one.host);
    while (const auto entry = walk ? walk->next() : std::nullopt) {
      if (!os::is_part_name(entry->path)) continue;
      if (entry->facts.kind == os::FileKind::file)
        found.push_back({one.host + "/" + entry->path, what});
    }
  }
}

// Copies of files that were replaced by those of a target. Only a person knows which are needed.
Finding check_kept(const std::string& home) {
  const std::size_t count = os::names_in(kept_directory(home)).size();
  if (count == 0) return {Verdict::ok, "file conflicts", "none", ""};
  return {Verdict::warn, "file conflicts",
          std::to_string(count) + " in " + kept_directory(home) +
              ": files of this home that were changed here and at a target",
          "compare them with those in place, then remove them"};
}

// Files that are no longer needed: what killed runners and programs left, and programs of runners
// of other versions. Nothing that a living runner, or the next one, could want.
Task<std::vector<StaleFile>> find_leftovers(std::string home, std::vector<SharedDirectory> shared) {
  std::vector<StaleFile> found;
  add_parts(found, home, shared);
  bool any_runs = false;
  for (const RunnerEntry& entry : co_await list_runners(home)) {
    const bool runs = entry.running || !entry.trouble.empty();
    any_runs |= runs;
    if (!runs) add_of_stopped_runner(found, entry.directory);
    for (const std::string& name : os::names_in(entry.directory + "/sessions")) {
      if (!name.ends_with(".damaged")) continue;
      found.push_back(
          {entry.directory + "/sessions/" + name, "a session's state that cannot be read"});
    }
  }
  for (const std::string& name : os::names_in(home + "/talaria")) {
    if (name.starts_with(environment::kRemovedPrefix) || name.starts_with("doctor-")) {
      found.push_back({home + "/talaria/" + name, "something that was being removed"});
    }
  }
  // A runner of another version may start itself again from its file.
  if (!any_runs) add_old_programs(found, home + "/talaria/bin");
  co_return found;
}

// Returns those that could not be removed.
std::vector<StaleFile> remove_leftovers(const std::vector<StaleFile>& files) {
  std::vector<StaleFile> left;
  for (const StaleFile& file : files) {
    std::error_code error;
    fs::remove_all(file.path, error);
    if (error) left.push_back({file.path, error.message()});
  }
  return left;
}

Finding check_leftovers(std::vector<StaleFile>& files, bool reap) {
  const std::size_t count = files.size();
  if (reap) files = remove_leftovers(files);
  if (!files.empty()) {
    return {Verdict::warn, "leftovers",
            std::to_string(files.size()) + (reap ? " could not be removed" : " found") +
                ", the first is " + files.front().path + ": " + files.front().what,
            reap ? "remove them by hand" : "remove them with 'talaria doctor --reap'"};
  }
  return {Verdict::ok, "leftovers", reap ? std::to_string(count) + " removed" : "none", ""};
}

std::vector<Finding> worst_first(std::vector<Finding> findings) {
  std::vector<Finding> sorted;
  for (const Verdict verdict : {Verdict::fail, Verdict::warn, Verdict::ok}) {
    std::ranges::copy_if(findings, std::back_inserter(sorted),
                         [&](const Finding& one) { return one.verdict == verdict; });
  }
  return sorted;
}

}  // namespace

Task<Examination> examine(const Caller& caller, Result<void> target, bool reap) {
  const std::string home = config_home(caller);
  Examination result;
  std::vector<Finding>& findings = result.findings;
  findings.push_back(check_home(home));
  const bool has_home = findings.back().verdict != Verdict::fail;
  const Result<Config> config = read_config(caller, kCommandLineLifetime);
  findings.push_back(check_config(config));
  if (config) {
    findings.push_back(check_target(*config, target));
    findings.push_back(check_variables(caller, *config));
  }
  if (has_home) findings.push_back(check_space(home));
  if (has_home) findings.push_back(check_store(home));
  findings.push_back(check_overrides(home));
  if (has_home) findings.push_back(co_await check_runner(home));
  findings.push_back(check_bash());
  findings.push_back(check_cgroups());
  findings.push_back(check_descriptors());
  const std::string used = config ? config->target : configured_target(caller);
  findings.push_back(check_docker(used));
  findings.push_back(check_program("podman", "--version", used));
  findings.push_back(check_program("ssh", "-V", used));
  const std::vector<RunnerEntry> entries = co_await list_runners(home);
  findings.push_back(check_environments(entries));
  if (auto pools = check_pools(home, config ? config->container.pool_size : 0)) {
    findings.push_back(std::move(*pools));
  }
  findings.push_back(check_left_processes(entries, reap));
  findings.push_back(check_kept(home));
  std::vector<SharedDirectory> shared;
  if (config) shared = SharedFiles(shared_options(*config, caller)).directories();
  result.leftovers = co_await find_leftovers(home, std::move(shared));
  findings.push_back(check_leftovers(result.leftovers, reap));
  result.findings = worst_first(std::move(findings));
  co_return result;
}

}  // namespace talaria::host

namespace talaria {

std::string_view verdict_name(Verdict verdict) {
  constexpr std::array<std::string_view, 3> kNames{"ok", "warn", "fail"};
  return kNames.at(static_cast<std::size_t>(verdict));
}

}  // namespace talaria
