// HomeSandboxes: sandboxes of a home (HomeSandbox in talaria/sandbox.h), for the clients of one
// program. What they are made of is a task with overrides; sandbox_file.h says how other programs
// find them.
#pragma once

#include <talaria/sandbox.h>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/event.h"
#include "base/result.h"
#include "base/task.h"
#include "host/config.h"
#include "sandboxes/sandbox_file.h"
#include "tools/process_service.h"
#include "tools/tool.h"

namespace talaria::sandboxes {

struct HomeSandboxRequest {
  SandboxSpec spec = {};
  std::string target = {};  // empty: the configured one
  std::string name = {};
  std::vector<std::string> variables = {};
  std::string key = {};  // a request with the key of an earlier one returns that sandbox
};

class HomeSandboxes : public std::enable_shared_from_this<HomeSandboxes> {
 public:
  // What engines keep on this machine for the next container of a task.
  using RemoveEngineFiles =
      std::function<Task<void>(host::Config config, std::string target, std::string sandbox)>;

  // What `services` refers to lives as long as `owner`, which they keep.
  HomeSandboxes(asio::any_io_executor executor, tool::Services services,
                std::shared_ptr<void> owner, RemoveEngineFiles remove_files);

  Task<Result<HomeSandbox>> create(HomeSandboxRequest request);
  // not_found: it does not exist, or its time is over. Commands of its task go there from then on.
  Result<HomeSandbox> find(const std::string& id);
  std::vector<HomeSandbox> list();
  // It does not end by being idle while this is held.
  Result<std::shared_ptr<void>> use(const std::string& id);
  // False: it did not exist.
  Task<Result<bool>> remove(std::string id);

 private:
  Result<void> adopt(const HomeSandbox& sandbox);
  HomeSandbox described(HomeSandbox sandbox);
  Result<void> make_directory(SandboxFile& file) const;
  std::optional<Result<HomeSandbox>> find_by_key(const SandboxFiles& store,
                                                 const SandboxFile& file);
  Task<Result<void>> start(HomeSandbox& sandbox);
  Task<void> take_down(HomeSandbox sandbox);
  void watch_lifetimes();
  Task<void> watch();
  Result<SandboxFiles> files() const;

  asio::any_io_executor executor_;
  tool::Services services_;
  std::shared_ptr<void> owner_;
  RemoveEngineFiles remove_files_;
  tool::ProcessService processes_;
  std::set<std::string> adopted_;  // whose overrides this program has
  bool watching_ = false;
};

}  // namespace talaria::sandboxes
