// Requests to Daytona's API and the meaning of its answers. No I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "environment/environment_spec.h"

namespace talaria::environment::daytona {

namespace json = boost::json;

// A sandbox, as the API shows it.
struct DaytonaFacts {
  std::string id;
  std::string name;
  std::string state;
  std::string reason;   // why it is in that state, if that is an error
  std::string toolbox;  // URL of its daemon, without a slash at the end; empty: unknown
  std::string task;     // from its label; empty: it has none
  double cpu = 0;
  std::int64_t memory_gib = 0;
  std::int64_t disk_gib = 0;
};

// An error: the answer is invalid.
Result<DaytonaFacts> daytona_facts(std::string_view answer);
Result<std::vector<DaytonaFacts>> daytona_list(std::string_view answer);

// What a state means for a caller that wants to use the sandbox.
enum class DaytonaStanding {
  ready,
  on_the_way,  // between two states: wait
  idle,        // it must be started
  failed,      // and stays so
  gone,
};
DaytonaStanding standing_of(std::string_view state);

// The name that upstream Hermes gives it, so that both find the same one; a task whose id is not a
// valid name gets a digest.
std::string daytona_name(std::string_view task);

inline constexpr std::int64_t kMbPerGib = 1024;

// A sandbox has no more disk than this, whatever one pays.
inline constexpr std::int64_t kDaytonaMostDiskGib = 10;

json::object create_body(const DaytonaConfig& config, const EnvironmentSpec& spec,
                         const std::string& name);

// {"hermes_task_id":TASK}
json::object daytona_labels(const std::string& task);

// A notice if the disk is smaller than requested.
std::optional<std::string> disk_notice(const ContainerConfig& container);

// Whether an answer is from the API itself, not from a proxy.
bool is_daytonas(std::string_view body);

// The vendor's error message in an answer, bounded; "HTTP 503" if it has none.
std::string daytona_complaint(unsigned status, std::string_view body);

}  // namespace talaria::environment::daytona
