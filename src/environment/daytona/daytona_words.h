// What is said to Daytona's API and what its answers mean. No I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "environment/daytona/daytona_options.h"

namespace talaria::environment::daytona {

namespace json = boost::json;

// A sandbox, as the API shows it.
struct DaytonaFacts {
  std::string id;
  std::string name;
  std::string state;
  std::string reason;   // why it is in that state, if that is an error
  std::string toolbox;  // where its daemon is, without a slash at the end; empty: it does not say
  std::string task;     // whose it is, by its label; empty: it has none
  double cpu = 0;
  std::int64_t memory_gib = 0;
  std::int64_t disk_gib = 0;
};

// An error: the answer is none.
Result<DaytonaFacts> daytona_facts(std::string_view answer);
Result<std::vector<DaytonaFacts>> daytona_list(std::string_view answer);

// What a state means to somebody who wants to use the sandbox.
enum class DaytonaStanding {
  ready,
  on_the_way,  // from one state to another: it has to be waited for
  idle,        // it has to be started
  failed,      // and stays so
  gone,
};
DaytonaStanding standing_of(std::string_view state);

// What upstream Hermes calls it, so that both find the same; a task whose id would be no good name
// has a digest in it.
std::string daytona_name(std::string_view task);

json::object create_body(const DaytonaOptions& options, const std::string& name);

// {"hermes_task_id":TASK}
json::object daytona_labels(const std::string& task);

// Less than was asked for, for people; nothing if it is not so.
std::optional<std::string> disk_notice(const DaytonaOptions& options);

// Whether an answer is one of the API's own, and not of something on the way to it.
bool is_daytonas(std::string_view body);

// The vendor's own words in an answer, bounded; "HTTP 503" if it has none.
std::string daytona_complaint(unsigned status, std::string_view body);

}  // namespace talaria::environment::daytona
