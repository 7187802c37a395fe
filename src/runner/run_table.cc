#include "runner/run_table.h"

#include <algorithm>
#include <utility>

#include "runner/limits.h"
#include "runner/run_report.h"

namespace talaria::runner {
namespace {

std::string too_many(std::uint64_t limit, const char* what, const char* setting) {
  return std::to_string(limit) + " " + what + " run here, as many as " + setting +
         " allows: end one, or raise the setting";
}

std::uint64_t or_own(std::uint64_t asked, std::uint64_t own) { return asked == 0 ? own : asked; }

link::ProcessLimits in_full(const link::ProcessLimits& asked) {
  constexpr auto own_retention = static_cast<std::uint64_t>(kFinishedRetention.count());
  return {
      .running = std::min<std::uint64_t>(or_own(asked.running, kMaxBackground), kMaxRunning),
      .terminals = or_own(asked.terminals, kMaxTerminals),
      .finished = std::min(or_own(asked.finished, kMaxFinishedBackground), kMostFinishedBackground),
      .retention_ms = std::min(or_own(asked.retention_ms, own_retention), kLongestTimeout)};
}

}  // namespace

RunTable::RunTable(RunArchive& archive) : archive_(archive), limits_(in_full({})) {}

void RunTable::set_limits(const link::ProcessLimits& limits) {
  if (limits != link::ProcessLimits()) limits_ = in_full(limits);
}

Result<void> RunTable::make_room(bool with_terminal) {
  drop_expired();
  if (live_background_ >= limits_.running) {
    return fail(ErrorKind::limit,
                too_many(limits_.running, "background processes", "terminal.max_processes"));
  }
  if (with_terminal && live_terminals_ >= limits_.terminals) {
    return fail(ErrorKind::limit,
                too_many(limits_.terminals, "processes with a terminal", "terminal.max_terminals"));
  }
  while (background_.size() >= limits_.finished) drop_first<kByStart>();
  return {};
}

void RunTable::insert(std::shared_ptr<Run> run) {
  ++live_;
  if (run->spec().background()) {
    ++live_background_;
    if (run->spec().pty) ++live_terminals_;
  }
  runs_.insert_or_assign(run->spec().process, std::move(run));
}

void RunTable::insert_ended(std::shared_ptr<Run> run, Clock::duration ago) {
  background_.insert({.process = run->spec().process,
                      .started_ms = run->spec().started_ms,
                      .when = Clock::now() - ago});
  runs_.insert_or_assign(run->spec().process, std::move(run));
}

void RunTable::run_handed_over(Run& run) {
  ++live_background_;
  if (run.spec().pty) ++live_terminals_;
}

void RunTable::run_finished(Run& run) {
  if (run.spec().is_login && !run.tree().empty()) left_by_logins_.insert(run.spec().process);
}

void RunTable::run_gone(Run& run) {
  const RunSpec& spec = run.spec();
  --live_;
  left_by_logins_.erase(spec.process);
  if (run.spec().background()) {
    --live_background_;
    if (spec.pty) --live_terminals_;
  }
  if (run.spec().background() && !run.start_failure()) {
    background_.insert(
        {.process = spec.process, .started_ms = spec.started_ms, .when = Clock::now()});
    while (background_.size() > kMostFinishedBackground) drop_first<kByStart>();
    return;
  }
  foreground_.push_back(spec.process);
  while (foreground_.size() > kMaxFinished) {
    runs_.erase(foreground_.front());
    foreground_.pop_front();
  }
}

std::shared_ptr<Run> RunTable::find(const std::string& process) {
  drop_expired();
  const auto found = runs_.find(process);
  return found == runs_.end() ? nullptr : found->second;
}

Result<std::shared_ptr<Run>> RunTable::get(const std::string& process) {
  if (auto run = find(process)) return run;
  if (auto run = archive_.recall(process)) {
    while (background_.size() >= limits_.finished) drop_first<kByEnd>();
    insert_ended(run, Clock::duration(0));
    return run;
  }
  return fail(ErrorKind::not_found,
              "no process " + process +
                  " on this runner (an end is kept until it was read, and for a while after that)");
}

link::ListReport RunTable::list(const link::List& wanted) {
  link::ListReport report;
  ListRoom room;
  std::size_t looks = kInputLooks;
  const auto add = [&](const Run& run) {
    if (wanted.background && (!run.spec().background() || run.start_failure())) return;
    link::ProcessEntry& entry = report.processes.emplace_back(room.entry(run, wanted.tail_limit));
    entry.waiting_for_input = run.waits_for_input(looks);
  };
  if (wanted.process.empty()) {
    for (const auto& [process, run] : all()) add(*run);
  } else if (const auto run = get(wanted.process)) {
    add(**run);
    if (!report.processes.empty()) {
      report.processes.back().unfinished_input = (*run)->input().unfinished();
    }
    if ((*run)->finished()) (*run)->record().end_was_read = true;
  }
  return report;
}

const RunTable::Runs& RunTable::all() {
  drop_expired();
  return runs_;
}

void RunTable::drop(const std::string& process) {
  const auto found = runs_.find(process);
  if (found == runs_.end()) return;
  const std::shared_ptr<Run> run = std::move(found->second);
  runs_.erase(found);
  run->record().end_was_read ? archive_.forget(*run) : archive_.archive(*run);
}

void RunTable::forget_ended_in(const std::string& session) {
  for (auto ended = background_.begin(); ended != background_.end();) {
    const auto found = runs_.find(ended->process);
    if (found == runs_.end() || found->second->spec().session != session) {
      ++ended;
      continue;
    }
    found->second->record().end_was_read = true;
    drop(ended->process);
    ended = background_.erase(ended);
  }
  archive_.forget_archived_in(session);
}

void RunTable::drop_expired() {
  const auto oldest = Clock::now() - std::chrono::milliseconds(limits_.retention_ms);
  while (!background_.empty() && background_.begin()->when <= oldest) drop_first<kByEnd>();
}

template <int order>
void RunTable::drop_first() {
  auto& runs = background_.get<order>();
  if (runs.empty()) return;
  drop(runs.begin()->process);
  runs.erase(runs.begin());
}

}  // namespace talaria::runner
