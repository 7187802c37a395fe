// SyncedEnvironment: wraps an environment that has no access to the home. It copies the shared files
// of the home there before each command, and brings changes back when it is closed. Everything else
// is the wrapped environment's.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "environment/environment.h"
#include "host/sync/file_sync.h"

namespace talaria::host {

class SyncedEnvironment final : public environment::Environment {
 public:
  SyncedEnvironment(std::unique_ptr<environment::Environment> environment, FileSyncOptions options,
                    std::function<SharedList()> list)
      : environment_(std::move(environment)),
        log_(options.home + "/talaria/sync.log"),
        sync_(std::move(options), std::move(list)),
        processes_(*environment_, sync_) {}

  std::string_view target() const override { return environment_->target(); }
  std::string_view transport() const override { return environment_->transport(); }
  Task<Result<environment::CommandOutcome>> run(environment::CommandSpec spec,
                                                CancelToken cancel) override;
  environment::Processes& processes() override { return processes_; }
  environment::Files& files() override { return environment_->files(); }
  std::string place() const override { return environment_->place(); }
  bool persistent() const override { return environment_->persistent(); }
  std::optional<bool> isolated() const override { return environment_->isolated(); }
  environment::EnvironmentLimits limits() const override { return environment_->limits(); }
  Task<Result<void>> end_session(std::string session) override {
    return environment_->end_session(std::move(session));
  }
  Task<Result<void>> close(bool remove) override;

 private:
  // The processes of the environment; the files are copied before each start.
  class SyncedProcesses final : public environment::Processes {
   public:
    SyncedProcesses(environment::Environment& environment, FileSync& sync)
        : environment_(environment), sync_(sync) {}

    Task<Result<environment::StartedProcess>> start(environment::CommandSpec command,
                                                    environment::ProcessSpec spec,
                                                    CancelToken cancel) override;
    Task<Result<environment::StartedProcess>> start_as(std::string id,
                                                       environment::CommandSpec command,
                                                       environment::ProcessSpec spec,
                                                       CancelToken cancel) override {
      // The commands of a gateway's clients: they get nothing of the home.
      return others().start_as(std::move(id), std::move(command), std::move(spec),
                               std::move(cancel));
    }
    Task<Result<std::vector<ProcessInfo>>> list(environment::ProcessQuery query) override {
      return others().list(std::move(query));
    }
    Task<Result<ProcessInfo>> wait(environment::ProcessQuery query, CancelToken cancel) override {
      return others().wait(std::move(query), std::move(cancel));
    }
    Task<Result<KilledProcess>> kill(std::string id, std::string source) override {
      return others().kill(std::move(id), std::move(source));
    }
    Task<Result<void>> signal(std::string id, int number) override {
      return others().signal(std::move(id), number);
    }
    Task<Result<OutputRead>> read(OutputQuery query, environment::OutputSink on_output,
                                  CancelToken cancel) override {
      return others().read(std::move(query), std::move(on_output), std::move(cancel));
    }
    Task<Result<bool>> write(std::string id, std::string data, bool end,
                             CancelToken cancel) override {
      return others().write(std::move(id), std::move(data), end, std::move(cancel));
    }
    Task<Result<void>> resize(std::string id, ScreenSize size) override {
      return others().resize(std::move(id), size);
    }
    Task<Result<std::uint64_t>> events(
        environment::EventQuery query,
        std::function<void(const environment::NumberedEvent&)> on_event,
        CancelToken cancel) override {
      return others().events(query, std::move(on_event), std::move(cancel));
    }
    Task<Result<void>> acknowledge(std::string instance, std::uint64_t up_to) override {
      return others().acknowledge(std::move(instance), up_to);
    }
    std::string instance() const override { return environment_.processes().instance(); }

   private:
    environment::Processes& others() { return environment_.processes(); }

    environment::Environment& environment_;
    FileSync& sync_;
  };

  std::unique_ptr<environment::Environment> environment_;
  std::string log_;
  FileSync sync_;
  SyncedProcesses processes_;
};

}  // namespace talaria::host
