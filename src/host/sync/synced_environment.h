// SyncedEnvironment: wraps an environment that has no access to the home. It copies the shared
// files of the home there before each command, and brings changes back when it is closed. What
// could not be brought back is not deleted with its environment. Everything else is the wrapped
// environment's.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <utility>

#include "environment/environment.h"
#include "host/sync/file_sync.h"

namespace talaria::host {

// What is being brought back by the environments of a program, which may have no time for it.
class BringingBack {
 public:
  void stop() {
    stopped_ = true;
    for (CancelToken one : std::list<CancelToken>(under_way_)) one.cancel();
  }

 private:
  friend class SyncedEnvironment;
  bool stopped_ = false;
  std::list<CancelToken> under_way_;
};

class SyncedEnvironment final : public environment::Environment {
 public:
  SyncedEnvironment(std::unique_ptr<environment::Environment> environment, FileSyncOptions options,
                    std::function<SharedList()> list,
                    std::shared_ptr<BringingBack> bringing = std::make_shared<BringingBack>())
      : environment_(std::move(environment)),
        bringing_(std::move(bringing)),
        log_(options.home + "/talaria/sync.log"),
        outlives_(options.outlives),
        sync_(std::move(options), std::move(list)) {
    // Not before start_as(): the clients of a gateway get nothing of the home.
    environment_->processes().set_prepare([this](CancelToken cancel) {
      return sync_.push(environment_->files(), std::move(cancel));
    });
  }

  std::string_view target() const override { return environment_->target(); }
  std::string_view transport() const override { return environment_->transport(); }
  Task<Result<environment::CommandOutcome>> run(environment::CommandSpec spec,
                                                CancelToken cancel) override;
  Task<Result<std::optional<shell::SessionDefinitions>>> look(environment::CommandSpec spec,
                                                              CancelToken cancel) override {
    return environment_->look(std::move(spec), std::move(cancel));
  }
  environment::Processes& processes() override { return environment_->processes(); }
  environment::Files& files() override { return environment_->files(); }
  std::string place() const override { return environment_->place(); }
  bool persistent() const override { return environment_->persistent(); }
  std::optional<bool> isolated() const override { return environment_->isolated(); }
  environment::EnvironmentLimits limits() const override { return environment_->limits(); }
  Task<Result<void>> end_session(std::string session) override {
    return environment_->end_session(std::move(session));
  }
  void leave_files() override { environment_->leave_files(); }
  Task<Result<void>> close(bool remove) override;

 private:
  Task<SyncedBack> bring_back();

  std::unique_ptr<environment::Environment> environment_;
  std::shared_ptr<BringingBack> bringing_;
  std::string log_;
  bool outlives_;  // see FileSyncOptions
  FileSync sync_;
};

}  // namespace talaria::host
