#include "support/world.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <stdexcept>

#include "os/cgroup.h"
#include "os/file.h"
#include "os/proc.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;

// What may be left below <home>/talaria when no runner is there.
bool may_stay(const std::string& path) {
  static const std::regex allowed(
      "bin|bin/talaria-runner-[0-9a-f]+|run|run/runners|run/local(-[0-9]+)?|ssh|ssh/"
      "moved-to|overrides[.](json|lock)"
      "|talaria[.]db(-wal|-shm)?|leases|leases/(container|instance|sandbox|making)-[0-9a-f]{24}"
      "|leases/index|leases/index/(complete|(task|pool)-[0-9a-f]{24})"
      "|leases/index/[a-z]+-[0-9a-f]{24}/(container|instance|sandbox|pool)-[0-9a-f]{24}"
      "|(disk-limit|own-init|runner-socket)-[0-9a-f]{16}|swept-[a-z]+|(singularity|modal)_"
      "snapshots[.]lock|modal_"
      "mark"
      "|sync|sync/record|sync/record/([0-9a-f]{32}|lock)"
      "|gateway[.]lock|execs|snapshots|snapshots/.*|sandboxes|sandboxes/.*"  // those that were not
                                                                             // terminated
      "|approvals|audit|audit/(audit[.]jsonl|rotate[.]lock|audit-[0-9T.Z-]+[.]jsonl)"
      "|run/local(-[0-9]+)?/"
      "(runner-v1|runner-v1[.]lock|start[.]lock|runner[.]log|sessions|logins|spill|jobs|prelude"
      "|scripts|scripts/pythons)"
      "|run/local(-[0-9]+)?/sessions/[A-Za-z0-9_-]+-[0-9a-f]{16}([.]new)?"
      "|run/local(-[0-9]+)?/logins/[0-9a-f]{16}([.]new)?");  // .new: killed while it wrote
  return std::regex_match(path, allowed);
}

// What the next runner is to know of a process in the background, and its output.
bool is_of_a_job(const fs::path& path) {
  const fs::path folder = path.parent_path();
  if (folder.filename() == "jobs") return path.extension() != ".new";
  if (folder.filename() == "ended") return folder.parent_path().filename() == "jobs";
  const fs::path jobs = folder.parent_path() / "jobs";
  return folder.filename() == "spill" &&
         (fs::exists(jobs / path.filename()) || fs::exists(jobs / "ended" / path.filename()));
}

std::string describe(pid_t pid) {
  const auto stat = os::read_process_stat(pid);
  if (!stat) return std::to_string(pid) + " (gone since)";
  std::string text = "process " + std::to_string(pid) + " (" + stat->name + ", " + stat->state +
                     ", child of " + std::to_string(stat->parent) + ")";
  auto line = os::read_file("/proc/" + std::to_string(pid) + "/cmdline", 1 << 20);
  if (!line) return text;
  std::ranges::replace(*line, '\0', ' ');
  return text + ": " + line->substr(0, 200);
}

}  // namespace

std::size_t own_descriptors() {
  const fs::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

World::World() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::string pattern = "/tmp/talaria-test-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
  root_ = pattern;
  home_ = root_ + "/home";
  make_cgroup_of_our_own();
  env_ = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"};
  set("HOME", directory("user"));
  set("TALARIA_HOME", home_);
  set("TERMINAL_CWD", directory("work"));
  set("TERMINAL_LOCAL_RUNNERS", "1");  // on any machine: tests look for what it leaves
  // Tests are about what commands do: nobody is there to be asked about dangerous ones.
  set("TALARIA_APPROVALS_HEADLESS", "allow");
  // Sanitizers of the program under test are to speak where the tests look.
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) set(name, value);
  }
  descriptors_before_ = own_descriptors();
}

World::~World() {
  stop_runner();
  for (int round = 0; round < 3 && !processes_left().empty(); ++round) {
    for (const pid_t pid : os::descendants(::getpid())) {
      if (!Program::owns(pid)) ::kill(pid, SIGKILL);
    }
    reap_orphans();
  }
  leave_cgroup();
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

// Beside the commands of other tests, which run at the same time.
void World::make_cgroup_of_our_own() {
  const auto parent = os::own_cgroup();
  if (!parent) return;
  const std::string ours = *parent + "/talaria-test-" + std::to_string(::getpid());
  if (!os::make_cgroup(ours)) return;
  if (os::join_cgroup(ours)) {
    cgroup_ = ours;
  } else {
    os::remove_cgroup(ours);
  }
}

void World::leave_cgroup() {
  if (cgroup_.empty()) return;
  (void)os::join_cgroup(cgroup_.substr(0, cgroup_.rfind('/')));
  for (const std::string& left : cgroups_left()) os::remove_cgroup(left);
  os::remove_cgroup(cgroup_);
}

std::string World::directory(const std::string& name) const {
  fs::create_directories(path(name));
  return path(name);
}

std::string World::read(const std::string& name) const {
  return os::read_file(path(name), 256u << 20).value_or("");
}

void World::use_home(const std::string& name) {
  home_ = path(name);
  set("TALARIA_HOME", home_);
}

void World::set(const std::string& name, const std::string& value) {
  std::erase_if(env_, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  env_.push_back(name + "=" + value);
}

std::string World::talaria() { return TALARIA_PROGRAM; }

ProgramSpec World::spec(std::vector<std::string> words) const {
  words.insert(words.begin(), talaria());
  words.insert(words.begin(), starter_.begin(), starter_.end());
  return {.argv = std::move(words), .env = env_, .cwd = path("work")};
}

std::unique_ptr<Program> World::start(std::vector<std::string> words) {
  return std::make_unique<Program>(spec(std::move(words)));
}

Finished World::run(std::vector<std::string> words, std::string_view input) {
  ProgramSpec program = spec(std::move(words));
  program.keep_stdin_open = !input.empty();
  const auto begin = std::chrono::steady_clock::now();
  Program running(program);
  running.write(input);
  running.close_stdin();
  const auto status = running.wait();
  if (!status) throw std::runtime_error("talaria does not end; it said: " + running.err());
  const auto took = std::chrono::steady_clock::now() - begin;
  return {*status, running.out(), running.err(),
          std::chrono::duration_cast<std::chrono::milliseconds>(took)};
}

std::vector<Runner> World::runners() const {
  std::vector<Runner> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(home_ + "/talaria/run", ignored)) {
    if (const auto one = Runner::in(entry.path().string())) found.push_back(*one);
  }
  return found;
}

bool World::stop_runner() {
  bool gone = true;
  for (const Runner& one : runners()) {
    one.kill(SIGCONT);
    one.kill(SIGTERM);
    if (one.wait_gone()) continue;
    one.kill(SIGKILL);
    gone = false;
  }
  return gone;
}

std::vector<std::string> World::processes_left() const {
  std::vector<std::string> found;
  reap_orphans();
  for (const pid_t pid : os::descendants(::getpid())) {
    if (!Program::owns(pid)) found.push_back(describe(pid));
  }
  return found;
}

std::vector<std::string> World::files_left() const {
  std::vector<std::string> found;
  std::error_code ignored;
  const fs::path base = home_ + "/talaria";
  for (const auto& entry : fs::recursive_directory_iterator(base, ignored)) {
    const std::string name = entry.path().lexically_relative(base).string();
    if (spill_may_stay_ && name.starts_with("run/local/spill/")) continue;
    if (is_of_a_job(entry.path())) continue;
    if (!may_stay(name)) found.push_back("file " + name);
    if (name == "run/local/runner.log" && entry.file_size(ignored) > 0) {
      found.push_back("runner.log says: " + os::read_file(entry.path(), 65536).value_or("?"));
    }
  }
  return found;
}

std::vector<std::string> World::cgroups_left() const {
  std::vector<std::string> found;
  if (cgroup_.empty()) return found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(cgroup_, ignored)) {
    if (entry.is_directory(ignored)) found.push_back(entry.path().string());
  }
  return found;
}

std::vector<std::string> World::leaks(std::chrono::milliseconds patience) {
  std::vector<std::string> found;
  if (!stop_runner()) found.push_back("the runner does not end when asked to");
  // One that was only being started then is there now.
  eventually([&] { return stop_runner() && processes_left().empty(); }, patience);
  eventually([&] { return cgroups_left().empty(); }, std::chrono::milliseconds(500));
  for (std::string& process : processes_left()) found.push_back(std::move(process));
  for (const std::string& cgroup : cgroups_left()) found.push_back("cgroup " + cgroup);
  for (std::string& file : files_left()) found.push_back(std::move(file));
  if (const std::size_t now = own_descriptors(); now > descriptors_before_) {
    found.push_back("this test has " + std::to_string(now - descriptors_before_) +
                    " descriptors more than before");
  }
  return found;
}

}  // namespace talaria::test
