// World: all a test touches. A home of its own below /tmp, a cgroup of its own where one can be
// made, and this process as the subreaper: whatever Talaria starts and forgets ends up as a child
// of ours, so that nothing can escape the search for leaks. Destroying it stops the runner and
// removes everything.
//
// leaks() is the oracle. With everything ended it finds what should not be there any more.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/runner.h"

namespace talaria::test {

struct Finished {
  ExitStatus status;
  std::string out;
  std::string err;
  std::chrono::milliseconds took{0};

  int code() const { return exit_code_of(status); }
};

class World {
 public:
  World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  // A path in the test's own directory; directory() also makes it one.
  std::string path(const std::string& name) const { return root_ + "/" + name; }
  std::string directory(const std::string& name) const;
  std::string read(const std::string& name) const;  // "" if there is none
  std::string runner_directory() const { return home_ + "/talaria/run/local"; }

  // Another home below the test's own directory, before anything was started.
  void use_home(const std::string& name);

  // What every program gets. set() adds to it or replaces.
  std::vector<std::string> env() const { return env_; }
  void set(const std::string& name, const std::string& value);

  static std::string talaria();  // the program under test
  // It is started by these words from now on, which get its own as arguments.
  void start_by(std::vector<std::string> words) { starter_ = std::move(words); }

  // `talaria WORDS...`, to its end.
  Finished run(std::vector<std::string> words, std::string_view input = {});
  Finished exec(const std::string& command) { return run({"exec", command}); }
  std::unique_ptr<Program> start(std::vector<std::string> words);
  ProgramSpec spec(std::vector<std::string> words) const;

  std::optional<Runner> runner() const { return Runner::in(runner_directory()); }
  const std::string& cgroup() const { return cgroup_; }  // empty: none could be made
  std::vector<Runner> runners() const;                   // all of target local
  bool stop_runner();  // all of them, by TERM, as their owner may; false if one does not end

  // A runner that is killed leaves what was spilled to be read: no leak then.
  void expect_spilled_output() { spill_may_stay_ = true; }

  // Stops the runner, then names every process, descriptor, cgroup, socket and file that should be
  // gone. Empty is good.
  std::vector<std::string> leaks(std::chrono::milliseconds patience = std::chrono::seconds(5));

 private:
  void make_cgroup_of_our_own();
  void leave_cgroup();
  std::vector<std::string> processes_left() const;
  std::vector<std::string> files_left() const;
  std::vector<std::string> cgroups_left() const;

  std::string root_;
  std::string home_;
  std::string cgroup_;  // empty: none could be made
  std::vector<std::string> env_;
  std::vector<std::string> starter_;
  std::size_t descriptors_before_ = 0;
  bool spill_may_stay_ = false;
};

// How many descriptors this test itself has open.
std::size_t own_descriptors();

}  // namespace talaria::test
