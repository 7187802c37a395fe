// LinkEnvironment: an Environment whose commands run at a runner, over a link. Every backend that
// can carry bytes is one of these, with its own Connect.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "environment/environment.h"
#include "environment/input_source.h"
#include "environment/link_files.h"
#include "environment/link_processes.h"
#include "environment/link_starts.h"
#include "environment/target_instance.h"
#include "link/driver.h"

namespace talaria::environment {

class LinkEnvironment final : public Environment {
 public:
  LinkEnvironment(const asio::any_io_executor& executor, TargetOptions options,
                  link::LinkDriver::Connect connect);
  ~LinkEnvironment() override { driver_->disconnect(); }

  std::string_view target() const override { return options_.target; }
  std::string_view transport() const override { return options_.batch_ms > 0 ? "batch" : "link"; }
  Task<Result<CommandOutcome>> run(CommandSpec spec, CancelToken cancel) override;
  Task<Result<std::optional<shell::SessionDefinitions>>> look(CommandSpec spec,
                                                              CancelToken cancel) override;
  Processes& processes() override { return processes_; }
  Files& files() override { return files_; }
  std::string place() const override {
    return options_.instance ? options_.instance->place() : options_.place;
  }
  bool persistent() const override { return options_.persistent; }
  std::optional<bool> isolated() const override { return options_.isolated; }
  EnvironmentLimits limits() const override {
    return options_.instance ? options_.instance->limits() : EnvironmentLimits();
  }
  Task<Result<void>> end_session(std::string session) override;
  void leave_files() override {
    if (options_.instance) options_.instance->leave_files();
  }
  Task<Result<void>> close(bool remove) override;

 private:
  Task<Result<CommandOutcome>> run_once(CommandSpec spec, std::shared_ptr<InputSource> more,
                                        CancelToken cancel);

  TargetOptions options_;
  std::shared_ptr<link::LinkDriver> driver_;
  LinkStarts starts_;
  LinkProcesses processes_;
  LinkFiles files_;
};

}  // namespace talaria::environment
