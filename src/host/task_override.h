// Overrides: what an embedding program wants to be different for one task: the directory it starts
// in, the image or the target it runs at, what it may use there. Never a model's to say.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "host/config/sources.h"

namespace talaria::host {

struct TaskOverride {
  std::string id;                 // of this one registration, whatever it says
  bool moved = false;             // the task's session has gone to its directory
  std::vector<ConfigFlag> flags;  // the settings it stands for, under the names of its keys

  // All but the directory: for that the task needs an environment of its own; empty: it needs none.
  std::map<std::string_view, std::string> isolation() const;
  bool has_directory() const;
};

// Keys: docker_image, singularity_image, modal_image, daytona_image, env_type, container_cpu,
// container_memory, container_disk, cwd; all texts. A blank one says nothing.
Result<TaskOverride> parse_override(const boost::json::object& overrides);
// The same, and each value must be one that its setting may have. Not for what was stored earlier:
// one invalid value there must not hide the others.
Result<TaskOverride> parse_new_override(const boost::json::object& overrides);

using OverrideMap = std::map<std::string, TaskOverride>;  // by task

// The session of a call that names no task, and the environment of tasks that need none of their
// own.
inline constexpr std::string_view kDefaultTask = "default";

// What was said for each task, and what follows from it. Ours counts before what is stored.
class TaskOverrides {
 public:
  // Replace what was said before. Each returns the ids of environments that do not fit any more.
  std::vector<std::string> set(const std::string& task, TaskOverride said);
  std::vector<std::string> set_stored(OverrideMap stored);

  std::string environment_id(const std::string& task) const;
  boost::json::object describe() const;
  std::vector<std::string> tasks() const;  // that have one

  // First those of the task itself; if it shares the default environment, then those of the default
  // task, whose image and target it has.
  std::vector<ConfigFlag> flags_of(const std::string& task) const;

  // Whether one says in which directory the task is to be.
  bool has_directory(const std::string& task) const;

  // The task's own, which says in which directory its session is to be, if it has not gone there;
  // else null.
  const TaskOverride* unmoved(const std::string& task) const;
  // For the registration `id`, if that is still the task's.
  void set_moved(const std::string& task, const std::string& id, bool moved);

 private:
  const TaskOverride& find(const std::string& task) const;  // an empty one: nothing was said

  OverrideMap said_;
  OverrideMap stored_;
};

}  // namespace talaria::host
