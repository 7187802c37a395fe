// RunnerParts: everything that one runner has, and how long the runner itself lives. Requests
// (request/) use the part they need.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "link/messages.h"
#include "runner/files/file_changes.h"
#include "runner/files/line_index.h"
#include "runner/files/uploads.h"
#include "runner/jobs.h"
#include "runner/links.h"
#include "runner/run_table.h"
#include "runner/search/search_processes.h"
#include "runner/sessions.h"
#include "runner/shell/shell_host.h"
#include "runner/spill_keeper.h"
#include "runner/starts.h"

namespace talaria::runner {

struct SupervisorOptions {
  std::string directory;  // private to this runner
  std::string instance;
  std::chrono::milliseconds lifetime{0};  // without links and runs, then the runner ends
  std::vector<std::string> environment;   // of commands whose caller passes none: the target's own
};

class RunnerParts final : private RunObserver, private RunArchive {
 public:
  RunnerParts(asio::io_context& loop, ShellHost host, SupervisorOptions options);
  ~RunnerParts() override;
  RunnerParts(const RunnerParts&) = delete;
  RunnerParts& operator=(const RunnerParts&) = delete;

  Starts& starts() { return starts_; }
  Sessions& sessions() { return sessions_; }
  Links& links() { return links_; }
  RunTable& runs() { return runs_; }
  Jobs& jobs() { return jobs_; }
  Uploads& uploads() { return uploads_; }
  FileChanges& file_changes() { return file_changes_; }
  LineIndexes& line_indexes() { return line_indexes_; }
  SearchProcesses& searches() { return searches_; }

  link::StatusReport status() const;
  link::RunnerHello hello() const;
  asio::io_context& loop() { return loop_; }
  const std::string& instance() const { return options_.instance; }
  const std::string& home() const { return starts_.home(); }

  // Ends the runner. Refused while something runs, unless `kill`.
  Result<void> stop(bool kill);
  // Gives up everything the event loop still knows, so that it can come to rest.
  void shut_down();

 private:
  void run_gone(Run&) override { check_lease(); }
  void archive(Run& run) override { jobs_.archive(run); }
  void forget(const Run& run) override { jobs_.forget(run.spec().process); }
  void forget_archived_in(const std::string& session) override {
    jobs_.journal().remove_archived_in(session);
  }
  std::shared_ptr<Run> recall(const std::string& process) override;
  std::string spill_directory() const { return options_.directory + "/spill"; }
  std::shared_ptr<Run> remember(const Job& job);
  void recall_jobs();
  void check_lease();

  asio::io_context& loop_;
  ShellHost host_;
  SupervisorOptions options_;
  std::string boot_id_;
  Jobs jobs_;
  RunTable runs_;
  Links links_;
  Sessions sessions_;
  Starts starts_;
  Uploads uploads_;
  FileChanges file_changes_;
  LineIndexes line_indexes_;
  SearchProcesses searches_;
  SpillKeeper spill_;
  asio::steady_timer lease_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  bool stopping_ = false;
};

}  // namespace talaria::runner
