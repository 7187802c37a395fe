// Overrides: what an embedding program wants to be different for one task: the directory it starts
// in, the image or the target it runs at. Never a model's to say.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "host/config/sources.h"

namespace talaria {

struct TaskOverride {
  std::vector<ConfigFlag> flags;  // the settings it stands for, under the names of its keys

  // Images and target, for which the task needs an environment of its own; empty: it needs none.
  std::map<std::string_view, std::string> isolation() const;
};

// Keys: docker_image, singularity_image, modal_image, daytona_image, env_type, cwd; all texts. A
// blank one says nothing.
Result<TaskOverride> parse_override(const boost::json::object& overrides);

// The session of a call that names no task, and the environment of tasks that need none of their
// own.
inline constexpr std::string_view kDefaultTask = "default";

// What was said for each task, and what follows from it.
class TaskOverrides {
 public:
  // Replaces what was said before. True if the task now needs another environment.
  bool set(const std::string& task, TaskOverride said);

  std::string environment_id(const std::string& task) const;

  // First those of the task itself; if it shares the default environment, then those of the default
  // task, whose image and target it has.
  std::vector<ConfigFlag> flags_of(const std::string& task) const;

 private:
  void add_flags(const std::string& id, std::vector<ConfigFlag>& flags) const;

  std::map<std::string, TaskOverride> overrides_;
};

}  // namespace talaria
