// EnvironmentTable: the environments that exist, by id. Each is made by the first call that needs
// it; calls that come meanwhile wait for the same one. One that could not be made is not kept: the
// next call tries again. Calls are lent what they get: an environment is in use until the last of
// them has let go.
#pragma once

#include <talaria/environment.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"

namespace talaria::host {

class EnvironmentTable {
 public:
  using Make = std::function<Task<Result<std::unique_ptr<environment::Environment>>>()>;

  // The environment `id`, for a call of `task`. `make` must outlive the call.
  Task<Result<std::shared_ptr<environment::Environment>>> get(std::string id, std::string task,
                                                              const Make& make);

  std::vector<EnvironmentInfo> list() const;  // of each the first kMaxListedTasks of its tasks

  // The same without using it; null if there is none.
  std::shared_ptr<environment::Environment> peek(const std::string& id) const;

  // Those that are not in use and were not used since.
  std::vector<std::string> idle_since(std::chrono::system_clock::time_point time) const;
  void touch(const std::string& id);  // it is used now

  // One that was taken out: calls that have it keep it, the next one makes another.
  struct Taken {
    std::shared_ptr<environment::Environment> environment;  // null: there was none
    std::shared_ptr<const int> lent;                        // to how many calls
  };
  Taken take(const std::string& id);
  // Gets one that was being made when it was taken, once it is there. Null: nobody.
  using Late = std::function<void(std::string id, Taken taken)>;
  void on_late(Late late) { *late_ = std::move(late); }

 private:
  struct Place;
  static std::shared_ptr<environment::Environment> lend(const std::shared_ptr<Place>& place);
  class Making;
  using Places = std::map<std::string, std::shared_ptr<Place>>;

  // Shared with calls that make one, which a loop that ends may drop later than us.
  std::shared_ptr<Places> places_ = std::make_shared<Places>();
  std::shared_ptr<Late> late_ = std::make_shared<Late>();
};

}  // namespace talaria::host
