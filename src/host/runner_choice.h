// RunnerChoice: which of the runners of this machine serves a session. A runner works on one
// processor, so a home has several where there are many. Sessions are spread over them by name, and
// each is started when it is first needed.
//
// The state of a session is with its runner. So the number of runners is decided once for a home:
// <home>/talaria/run/runners holds it. A home without that file that has been used has one runner.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace talaria::host {

class RunnerChoice {
 public:
  // `wanted`: for a home that is new; 0: as many as suit the processors.
  RunnerChoice(const std::string& home, std::size_t wanted);

  std::size_t count() const { return count_; }
  // The directory in <home>/talaria/run of the one that serves this task, or the environment of
  // this id.
  std::string directory_of(std::string_view name) const;
  // Which one serves this task, or the environment of this id. The first is 0.
  std::size_t runner_of(std::string_view name) const;
  // The environment of tasks that need none of their own, at the runner of this task.
  std::string shared_environment(std::string_view task) const;

 private:
  std::size_t count_;
};

// Whether it is an environment that shared_environment() names, at whichever runner.
bool is_shared_environment(std::string_view id);

}  // namespace talaria::host
