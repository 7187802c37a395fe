// Canaries: secrets that exist nowhere but in a test, and the search for them where no secret may
// be: the command lines of all processes of this machine while the test runs, the environment of
// processes that outlive a call, files, and what was answered.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace talaria::test {

class Canaries {
 public:
  Canaries();
  Canaries(const Canaries&) = delete;
  Canaries& operator=(const Canaries&) = delete;
  ~Canaries() { end(); }

  // The search for command lines; until then it has files open.
  void end();

  // A new secret, known by what it is for. Before anything that could have it is started.
  std::string plant(const std::string& name);
  // The same with the shape of a maker's key: for what is written into a command, which is in the
  // command line of its shell (so end() comes first) and must be masked everywhere else.
  std::string plant_key(const std::string& name);
  // One that somebody else made.
  void watch(const std::string& name, const std::string& secret);

  // What is found in a text goes to the findings as seen at `where`.
  void look_at(std::string_view text, const std::string& where);
  // Every file below it but those whose path has one of `may_have_it` as a part.
  void look_below(const std::string& directory, const std::vector<std::string>& may_have_it = {});
  // Whether there was a file with `part` in its path: a search that finds no files finds nothing.
  bool has_looked_at(std::string_view part) const;
  // The environments of all processes with that name.
  void look_at_environments_of(std::string_view process_name);

  // All so far; empty is good. The command lines were looked at so many times.
  std::set<std::string> findings();
  int rounds() const { return rounds_; }

 private:
  void watch_command_lines();

  std::mutex mutex_;
  std::map<std::string, std::string> names_;  // by secret
  std::set<std::string> findings_;
  std::vector<std::string> files_;  // that were looked at
  std::atomic<int> rounds_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread watcher_;
};

}  // namespace talaria::test
