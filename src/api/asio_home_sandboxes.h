// AsioHomeSandboxes: the sandboxes of a home, for programs with an Asio loop. Each is a task with
// settings of its own, which every program of the home finds by its id. (AsioSandboxes has those of
// a gateway.)
#pragma once

#include <talaria/sandbox.h>

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "api/asio_runtime.h"

namespace talaria::sandboxes {
class HomeSandboxes;
}  // namespace talaria::sandboxes

namespace talaria {

struct HomeSandboxWish {
  SandboxSpec spec = {};
  std::string target = {};  // empty: the configured one
  std::string name = {};
  std::vector<std::string> variables = {};  // NAME=value
  std::string key = {};  // a request with the key of an earlier one returns that sandbox
};

class AsioHomeSandboxes {
 public:
  explicit AsioHomeSandboxes(const AsioRuntime& runtime);

  boost::asio::awaitable<Result<HomeSandbox>> create(HomeSandboxWish wish);
  // An Error (not_found): it does not exist, or its time is over. Its id is the name of its task.
  Result<HomeSandbox> find(const std::string& id);
  std::vector<HomeSandbox> list();
  // While this is held, it does not end by being idle.
  Result<std::shared_ptr<void>> use(const std::string& id);
  // With everything in it. False: it did not exist.
  boost::asio::awaitable<Result<bool>> remove(std::string id);

 private:
  std::shared_ptr<sandboxes::HomeSandboxes> sandboxes_;
};

}  // namespace talaria
