#include "host/leftovers.h"

#include <filesystem>

#include "environment/runner_control.h"
#include "environment/runner_image.h"
#include "host/runners.h"
#include "os/directory.h"

namespace talaria::host {
namespace {

namespace fs = std::filesystem;

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
    if (fs::exists(directory + "/jobs/" + name)) continue;  // the next runner knows whose it is
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

}  // namespace

Task<std::vector<StaleFile>> find_leftovers(std::string home) {
  std::vector<StaleFile> found;
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

std::vector<StaleFile> remove_leftovers(const std::vector<StaleFile>& files) {
  std::vector<StaleFile> left;
  for (const StaleFile& file : files) {
    std::error_code error;
    fs::remove_all(file.path, error);
    if (error) left.push_back({file.path, error.message()});
  }
  return left;
}

}  // namespace talaria::host
