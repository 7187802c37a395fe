// Home: a place of its own for one measurement, with its own runners. Destroying it ends them and
// removes its files.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace talaria::bench {

// How many there are on this machine: one, which is measured, or as many as suit it.
enum class Runners { one, suitable };

class Home {
 public:
  explicit Home(std::string talaria_path, Runners runners = Runners::one);
  ~Home();
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  const std::string& talaria_path() const { return talaria_path_; }
  const std::string& directory() const { return directory_; }
  std::vector<std::string> environment() const;  // makes talaria live here
  pid_t runner_pid() const;                      // throws when none was started
  void stop_runner() const;                      // waits until all are gone; fine without one

 private:
  std::string talaria_path_;
  Runners runners_;
  std::string directory_;
};

}  // namespace talaria::bench
