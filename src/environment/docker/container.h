// Container: the one container that serves an environment. It is found by its lease or its labels,
// started if it is stopped, taken from a pool, or made; and found again that way when it turns out
// to be gone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/carrier/carrier.h"
#include "environment/docker/container_maker.h"
#include "environment/docker/engine.h"
#include "environment/docker/runner_socket.h"
#include "environment/target_instance.h"
#include "environment/warm_pool.h"

namespace talaria::environment::docker {

// The kind of its lease.
inline constexpr std::string_view kContainerLease = "container";

class Container final : public TargetInstance {
 public:
  // `pool`: may be null.
  Container(asio::any_io_executor executor, Engine engine, DockerConfig config,
            EnvironmentSpec spec, std::shared_ptr<WarmPool> pool = nullptr)
      : TargetInstance(std::move(spec)),
        executor_(std::move(executor)),
        engine_(std::move(engine)),
        config_(std::move(config)),
        maker_(engine_, config_, spec_),
        pool_(std::move(pool)) {}

  // Takes the one that was last used for the task on this machine, without asking the engine:
  // connect() finds out whether it still exists. False if none is known.
  bool take_known();

  // Finds or makes it. Other calls and programs that want the same one wait meanwhile.
  Task<Result<void>> acquire();

  // A stream to the runner in it. If the engine says that the container is gone or stopped it is
  // acquired once more, and take_news() reports it.
  Task<Result<link::ByteStream>> connect();

  // See TargetOptions.
  Result<os::UniqueFd> reach_socket(const std::string& name) const;

  // Releases it. It is stopped and removed with `remove`, or if it is not meant to be found again.
  Task<Result<void>> close(bool remove) override;

  std::string place() const override;
  EnvironmentLimits limits() const override;
  void add_news(std::string news) { news_.push_back(std::move(news)); }

 private:
  LeaseFacts lease_facts(const InspectedContainer& container) const;
  Task<Result<void>> find_or_make();
  Task<Result<std::optional<InspectedContainer>>> find() const;
  Task<Result<void>> look(std::optional<InspectedContainer>& container, Engine::Image& image);
  Task<bool> take_from_pool();
  bool is_probably_new() const;
  std::string task_directory() const;
  bool is_for_us(const InspectedContainer& container) const;
  Result<void> adopt(const InspectedContainer& container);
  Result<void> hand_over(const LeaseFacts& facts) const;
  void report_difference(const std::string& name, const std::string& made_with);
  std::string runner_name(const InspectedContainer& container) const;
  Result<void> remove_sessions() const;
  RunnerSocket runner_socket() const;
  Task<Result<link::ByteStream>> reach();

  asio::any_io_executor executor_;
  Engine engine_;
  DockerConfig config_;
  ContainerMaker maker_;
  std::shared_ptr<WarmPool> pool_;
  std::string id_;  // empty: there is none
  std::string name_;
  std::string runner_;   // the name of its runner's directory
  std::string making_;   // the name of a new one
  bool begins_ = false;  // it was just made or started, and starts its runner
  std::shared_ptr<carrier::Carrier> carrier_;
  std::optional<link::ByteStream> first_stream_;  // of one from a pool, for its first link
};

}  // namespace talaria::environment::docker
