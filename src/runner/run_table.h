// RunTable: every run that can be asked about, and which of those that ended are still there.
//
// Commands in the foreground: the last ones that ended. In the background: each for a while after
// its end, but no more than a number of them, so that the two never push each other out. One whose
// end nobody has read is then in the archive, and comes back when it is asked for. A run counts as
// live until its tree is empty, so that all of its processes can be killed.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <boost/multi_index/member.hpp>
#include <boost/multi_index/ordered_index.hpp>
#include <boost/multi_index_container.hpp>

#include "link/messages.h"
#include "runner/run.h"

namespace talaria::runner {

// What is kept of background runs beside the table.
class RunArchive {
 public:
  virtual ~RunArchive() = default;
  virtual void archive(Run& run) = 0;
  virtual void forget(const Run& run) = 0;
  virtual void forget_archived_in(const std::string& session) = 0;
  virtual std::shared_ptr<Run> recall(const std::string& process) = 0;  // null: unknown
};

class RunTable final : public RunObserver {
 public:
  using Clock = std::chrono::steady_clock;
  using Runs = std::map<std::string, std::shared_ptr<Run>>;

  explicit RunTable(RunArchive& archive);  // which outlives it

  // Those of the last start that named some, in the background or to be handed over, count for all
  // that are here. What it does not name is the runner's own; what it names too high is cut.
  void set_limits(const link::ProcessLimits& limits);

  // Makes room for one more in the background. An error of kind limit: too many run.
  Result<void> make_room(bool with_terminal);

  void insert(std::shared_ptr<Run> run);
  // One that ended in the life of an earlier runner, so long ago.
  void insert_ended(std::shared_ptr<Run> run, Clock::duration ago);

  void forget_ended_in(const std::string& session);

  std::shared_ptr<Run> find(const std::string& process);         // null: not here
  Result<std::shared_ptr<Run>> get(const std::string& process);  // from the archive, too
  const Runs& all();
  // Never more than a message can carry. All: from memory alone.
  link::ListReport list(const link::List& wanted);

  // Live ones, without the daemons that login files started.
  std::size_t running() const { return live_ - left_by_logins_.size(); }

  // A controller waits for one, or may come back for it.
  bool any_in_foreground() const { return live_ > live_background_ + left_by_logins_.size(); }

  Result<void> before_hand_over(const RunSpec& spec) override { return make_room(spec.pty); }
  void run_handed_over(Run& run) override;
  void run_finished(Run& run) override;
  void run_gone(Run& run) override;

 private:
  struct Ended {
    std::string process;
    std::uint64_t started_ms;
    Clock::time_point when;
  };

  // In the order of their ends, and of their starts.
  using EndedRuns = boost::multi_index_container<
      Ended, boost::multi_index::indexed_by<
                 boost::multi_index::ordered_non_unique<
                     boost::multi_index::member<Ended, Clock::time_point, &Ended::when>>,
                 boost::multi_index::ordered_non_unique<
                     boost::multi_index::member<Ended, std::uint64_t, &Ended::started_ms>>>>;
  static constexpr int kByEnd = 0;
  static constexpr int kByStart = 1;

  void drop(const std::string& process);
  void drop_expired();
  template <int order>
  void drop_first();

  RunArchive& archive_;
  link::ProcessLimits limits_;
  Runs runs_;
  std::deque<std::string> foreground_;  // that ended; oldest first
  EndedRuns background_;
  std::set<std::string> left_by_logins_;
  std::size_t live_ = 0;
  std::size_t live_background_ = 0;
  std::size_t live_terminals_ = 0;  // of these
};

}  // namespace talaria::runner
