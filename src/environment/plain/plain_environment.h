// PlainEnvironment: a target where no runner can run (an unknown kind of machine, or no place that
// lets programs run). Each command is one run of the carrier, in a fresh shell.
//
// What it can do: run a command to its end, with its exit code or signal, its output byte for byte,
// data for its input, and a timeout or cancel that ends its tree there; keep what a session keeps
// at a runner, or in sh as much of it as sh can print (docs/internals/shell.md). What it cannot:
// background, terminals, files, events, spilled output, login files; and a connection that breaks
// loses the command.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "environment/carrier/carrier.h"
#include "environment/plain/plain_script.h"
#include "environment/plain/without_runner.h"
#include "environment/target_instance.h"

namespace talaria::environment::plain {

struct PlainOptions {
  TargetOptions target;  // neither an instance nor `close`: `remove` removes what sessions left
  std::string why;       // there is no runner
  std::shared_ptr<carrier::Carrier> carrier;  // that runs a program there
};

class PlainEnvironment final : public Environment {
 public:
  PlainEnvironment(asio::any_io_executor executor, PlainOptions options);

  std::string_view target() const override { return options_.target.target; }
  std::string_view transport() const override { return "plain"; }
  Task<Result<CommandOutcome>> run(CommandSpec spec, CancelToken cancel) override;
  Task<Result<std::optional<shell::SessionDefinitions>>> look(CommandSpec /*spec*/,
                                                              CancelToken /*cancel*/) override {
    co_return std::nullopt;
  }
  Processes& processes() override { return processes_; }
  Files& files() override { return files_; }
  std::string place() const override {
    return options_.target.instance ? options_.target.instance->place() : options_.target.place;
  }
  bool persistent() const override { return options_.target.persistent; }
  std::optional<bool> isolated() const override { return options_.target.isolated; }
  EnvironmentLimits limits() const override {
    return options_.target.instance ? options_.target.instance->limits() : EnvironmentLimits();
  }
  Task<Result<void>> end_session(std::string session) override;
  void leave_files() override {
    if (options_.target.instance) options_.target.instance->leave_files();
  }
  Task<Result<void>> close(bool remove) override;

 private:
  struct Running;  // one command

  Task<void> send(Running& running);
  Task<void> read_to_end(Running& running);
  Task<Error> failure(Running& running);
  CommandOutcome outcome(Running& running);
  const std::vector<std::string>& places() const { return options_.carrier->options().places.own; }
  Task<std::vector<Leftover>> kill(std::string id, std::vector<std::string>& notices);

  asio::any_io_executor executor_;
  PlainOptions options_;
  PlainNotices notices_;
  PlainProcesses processes_;
  PlainFiles files_;
};

}  // namespace talaria::environment::plain
