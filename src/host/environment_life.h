// EnvironmentLife: how environments end. One that was not used for its lifetime is released (what
// runs in its background counts as use); what is taken out of use is closed when the last call that
// has it is over; at the end of the program all of them are.
//
// Closing takes time, so it never happens while a call waits for an environment.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/result.h"
#include "base/task.h"
#include "host/environment_table.h"

namespace talaria::host {

class EnvironmentLife {
 public:
  struct Options {
    std::chrono::seconds lifetime{0};
    // Whether background processes run in an idle one.
    std::function<Task<bool>(std::string id)> is_busy;
    // Called before one is closed.
    std::function<Task<void>(std::string id, std::shared_ptr<environment::Environment>)>
        before_close;
  };

  EnvironmentLife(std::shared_ptr<EnvironmentTable> table, Options options);
  EnvironmentLife(const EnvironmentLife&) = delete;
  EnvironmentLife& operator=(const EnvironmentLife&) = delete;
  ~EnvironmentLife();

  // Looks after them from now on. The first call counts.
  void begin(const asio::any_io_executor& executor);

  // Takes it out of use; it is closed soon, but not under a call.
  void retire(const std::string& id);

  // Takes it out of use and closes it now, under whatever call has it. not_found if there is none.
  Task<Result<void>> close(std::string id, bool remove);
  // All there are, and those that were retired, several at a time. How many; the errors are of
  // those that could not be closed in order.
  struct Closed {
    std::size_t count = 0;
    std::vector<Error> errors;
  };
  Task<Closed> close_all(bool remove);

  // Lets go of those that are idle; one round of what runs after begin().
  Task<void> sweep();

 private:
  struct Retired {
    std::string id;
    EnvironmentTable::Taken taken;
  };
  struct Alarm;

  static Task<void> look_after(EnvironmentLife* life, std::shared_ptr<Alarm> alarm);
  Task<Result<void>> close_one(std::string id,
                               std::shared_ptr<environment::Environment> environment, bool remove);
  Task<void> close_counted(Retired& one, bool remove, Closed& closed);

  std::shared_ptr<EnvironmentTable> table_;
  Options options_;
  std::vector<Retired> retired_;
  std::shared_ptr<Alarm> alarm_;
};

}  // namespace talaria::host
