// EnvironmentTable: the environments that exist, by id. Each is made by the first call that needs
// it; calls that come meanwhile wait for the same one. One that could not be made is not kept: the
// next call tries again.
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

namespace talaria {

class EnvironmentTable {
 public:
  using Make = std::function<Task<Result<std::unique_ptr<Environment>>>()>;

  // The environment `id`, for a call of `task`. `make` must outlive the call.
  Task<Result<std::shared_ptr<Environment>>> get(std::string id, std::string task,
                                                 const Make& make);

  std::vector<EnvironmentInfo> list() const;  // of each the first kMaxListedTasks of its tasks

  // Forgets it: calls that have it keep it, the next one makes another. False if there is none.
  bool remove(const std::string& id);

 private:
  struct Place;
  class Making;
  using Places = std::map<std::string, std::shared_ptr<Place>>;

  // Shared with calls that make one, which a loop that ends may drop later than us.
  std::shared_ptr<Places> places_ = std::make_shared<Places>();
};

}  // namespace talaria
