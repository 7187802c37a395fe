// EventStore: what happened to processes and targets, and what each consumer has had of it.
#pragma once

#include <talaria/event.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "environment/processes.h"
#include "host/store/home_database.h"

namespace talaria::host {

// Which event it is: its number at that instance of a runner. 0: it is none of a runner's, but of
// ours about that instance.
struct RunnerKey {
  std::string instance;
  std::uint64_t number = 0;
};

class EventStore {
 public:
  explicit EventStore(std::shared_ptr<HomeDatabase> home) : home_(std::move(home)) {}

  // False if it was there: the same key, another end of the same process, or another loss of the
  // same instance. The end of a process ends it in the ProcessStore, too.
  Result<bool> add(const RunnerKey& key, const ProcessEvent& event);
  // All of them or, with an error, none. How many were new.
  Result<std::size_t> add_all(const std::string& instance,
                              std::span<const environment::NumberedEvent> events);
  // The highest number there has been of that instance; 0: none.
  Result<std::uint64_t> last_number(const std::string& instance);

  Result<std::uint64_t> last();  // its id; 0: there is none

  // In order of their ids.
  Result<std::vector<ProcessEvent>> after(std::uint64_t id, std::size_t limit);
  // The newest of those, also in order.
  Result<std::vector<ProcessEvent>> newest(std::uint64_t after, std::size_t limit);
  // Those behind a consumer's cursor that have to be reported to it: ends only if they are
  // announced and nobody has read them.
  Result<std::vector<ProcessEvent>> pending(std::string_view consumer, std::size_t limit);

  // How a process ended; nothing if that is not known.
  Result<std::optional<ProcessEvent>> end_of(std::string_view process);

  // The last event a consumer has had. A new one begins with what is kept: 0.
  Result<std::uint64_t> cursor(std::string_view consumer);
  Result<void> move_cursor(std::string_view consumer, std::uint64_t id);  // never back

  // The process has ended, and somebody read that, so that it need not be reported; also before the
  // event is here.
  Result<void> mark_consumed(std::string_view process);
  Result<bool> is_consumed(std::string_view process);

 private:
  std::shared_ptr<HomeDatabase> home_;
};

}  // namespace talaria::host
