// SpillKeeper: removes the stored output of commands that have ended when it is old, and when there
// is too much of it, the oldest first. The records of processes whose end nobody has read
// (job_journal.h) go by age and number. It looks a while after the end of a command with such
// output, and once an hour as long as there is some.
#pragma once

#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "runner/job_journal.h"
#include "runner/run_table.h"

namespace talaria::runner {

class SpillKeeper final : public RunObserver {
 public:
  // All references outlive it.
  SpillKeeper(asio::io_context& loop, std::string directory, RunTable& runs,
              const JobJournal& journal);

  void look();   // now
  void close();  // the runner ends

  void run_gone(Run& run) override;

 private:
  void look_in(std::chrono::seconds pause);

  std::string directory_;
  RunTable& runs_;
  const JobJournal& journal_;
  asio::steady_timer next_;
  bool soon_ = false;  // it will look within kSpillPause
};

}  // namespace talaria::runner
