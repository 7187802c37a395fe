// SingularityInstance: the one instance of a task, found by its lease or started; found or started
// again when it is gone. Only the engine says whether it is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/carrier/carrier.h"
#include "environment/singularity/engine.h"
#include "environment/singularity/lease.h"
#include "environment/singularity/singularity_environment.h"

namespace talaria {

class SingularityInstance {
 public:
  SingularityInstance(asio::any_io_executor executor, SingularityEngine engine,
                      SingularityOptions options);

  // The instance there is, as far as the lease knows, else a new one. To be called first.
  Task<Result<void>> find_or_start();

  // A stream to its runner. One that is gone is replaced.
  Task<Result<ByteStream>> connect();

  // Others find it again, unless it is to be removed. One that keeps nothing, or was not used for
  // its lifetime, ends if nothing goes on in it.
  Task<Result<void>> close(bool remove);

  std::string place() const { return "instance " + name_; }
  // To be called after every command.
  std::vector<std::string> take_news();

 private:
  std::vector<std::string> wanted_arguments() const;
  void use(const std::string& name);
  Task<Result<void>> replace(std::string gone);
  Task<Result<void>> start();
  Task<Result<InstanceSpec>> make_spec();
  Task<Result<void>> start_with_limits(InstanceSpec spec, std::string name);
  bool is_forgotten() const;
  Task<Result<void>> stop_if_ours(bool always);

  asio::any_io_executor executor_;
  SingularityEngine engine_;
  SingularityOptions options_;
  LeasePlace place_;
  std::string name_;
  std::shared_ptr<Carrier> carrier_;
  std::vector<std::string> news_;  // for the agent to read
};

}  // namespace talaria
