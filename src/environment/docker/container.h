// Container: the one container that serves an environment. It is found by its labels, started if it
// is stopped, or made; and found again that way when it turns out to be gone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/carrier/carrier.h"
#include "environment/docker/docker_options.h"
#include "environment/docker/engine.h"
#include "environment/docker/engine_note.h"
#include "environment/environment.h"
#include "environment/lease.h"

namespace talaria::environment::docker {

class Container {
 public:
  Container(asio::any_io_executor executor, Engine engine, DockerOptions options)
      : executor_(std::move(executor)), engine_(std::move(engine)), options_(std::move(options)) {}

  // Takes the one that was last used for the task on this machine, without asking the engine:
  // connect() finds out soon enough whether it is still there. False if none is known.
  bool take_known();

  // Finds or makes it. Others who want the same one wait for us, also other programs.
  Task<Result<void>> acquire();

  // A stream to the runner in it. If the engine says that the container is gone or stopped it is
  // acquired once more, and take_news() tells.
  Task<Result<link::ByteStream>> connect();

  // Lets go of it. It is stopped and removed if nobody is to find it again, or if told so.
  Task<Result<void>> close(bool remove);

  void used();  // now
  std::string place() const;
  EnvironmentLimits limits() const;
  void tell(std::string news) { news_.push_back(std::move(news)); }
  std::vector<std::string> take_news() { return std::exchange(news_, {}); }

 private:
  Task<Result<void>> find_or_make();
  Task<Result<std::optional<InspectedContainer>>> find() const;
  Task<Result<void>> look(std::optional<InspectedContainer>& container, Engine::Image& image);
  Task<Result<void>> pull(Engine::Image& image);
  EngineNote own_init_note() const;
  EngineNote disk_limit_note() const;
  Task<Result<InspectedContainer>> make(Engine::Image image);
  Task<Result<InspectedContainer>> pull_and_make(Engine::Image image,
                                                 std::optional<Gate::Pass>& turn);
  Task<Result<std::string>> run(std::vector<std::string> words, std::vector<std::string> client,
                                Engine::Image image);
  Task<std::optional<Gate::Pass>> enter_gate() const;
  Task<bool> can_limit_disk();
  std::string kept_directory() const;
  bool is_for_us(const InspectedContainer& container) const;
  Result<void> adopt(const InspectedContainer& container);
  void tell_difference(const std::string& name, const std::string& made_with);
  carrier::RunnerPlaces places(const std::string& id) const;
  carrier::CarrierOptions carrier_options(const InspectedContainer& container) const;
  Task<Result<link::ByteStream>> reach();

  asio::any_io_executor executor_;
  Engine engine_;
  DockerOptions options_;
  bool closed_ = false;
  std::string id_;  // empty: there is none
  std::string name_;
  std::optional<Lease> lease_;
  std::shared_ptr<carrier::Carrier> carrier_;
  std::vector<std::string> news_;
};

}  // namespace talaria::environment::docker
