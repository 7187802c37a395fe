#include <boost/json/array.hpp>

#include "base/signal_name.h"
#include "front/cli/fronts.h"
#include "front/cli/process/process_text.h"
#include "front/cli/report.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

class KillRun {
 public:
  KillRun(const AsioRuntime& runtime, KillOptions options, Stdio stdio)
      : processes_(runtime), options_(std::move(options)), stdio_(stdio) {}

  Task<int> run() {
    if (options_.all && options_.signal == 0) {
      const auto done = co_await end_all();
      if (!done) co_return report_error(done.error(), options_.json, stdio_);
    } else if (options_.all) {
      const auto found = co_await look_for_all();
      if (!found) co_return report_error(found.error(), options_.json, stdio_);
    }
    for (const std::string& id : options_.ids) co_await end(id);
    if (options_.all && results_.empty()) {
      text_ = options_.task.empty() ? "No process is running.\n"
                                    : "No process of task '" + options_.task + "' is running.\n";
    }
    const int code = options_.json ? report_line({{"processes", std::move(results_)}}, stdio_)
                                   : report_text(text_, stdio_);
    co_return failed_ ? kFailed : code;
  }

 private:
  // --all includes processes of lifetime keep.
  Task<Result<void>> end_all() {
    KillAll which{.include_keep = true};
    if (!options_.task.empty()) which.task = options_.task;
    const auto all = co_await processes_.kill_all(std::move(which));
    if (!all) co_return fail(all.error());
    report_away(all->away);
    for (const KilledOne& one : all->processes) {
      if (one.error) {
        report_failure(one.id, *one.error);
      } else {
        report_killed(one.id, one.was_running, one.survivors);
      }
    }
    co_return Result<void>();
  }

  Task<Result<void>> look_for_all() {
    const auto list = co_await processes_.list();
    if (!list) co_return fail(list.error());
    report_away(list->away);
    for (const ProcessInfo& info : list->processes) {
      const bool selected = options_.task.empty() || info.task == options_.task;
      if (info.running && selected) options_.ids.push_back(info.id);
    }
    co_return Result<void>();
  }

  Task<void> end(const std::string& beginning) {
    const auto whole = processes_.full_id(beginning);
    if (!whole) co_return report_failure(beginning, whole.error());
    const std::string& id = *whole;
    const auto before = co_await processes_.find(id);
    if (!before) co_return report_failure(id, before.error());
    if (options_.signal != 0) co_return co_await send_signal(*before);
    if (!before->running && before->background_children == 0) {
      co_return report(id, "already_exited", already_ended(*before));
    }
    const auto killed = co_await processes_.kill(id);
    if (!killed) co_return report_failure(id, killed.error());
    report_killed(id, before->running, killed->survivors);
  }

  void report_away(const std::vector<Error>& away) {
    for (const Error& error : away) {
      if (!options_.json) complain(stdio_, error.message());
      failed_ = true;
    }
  }

  void report_killed(const std::string& id, bool was_running,
                     const std::vector<Leftover>& survivors) {
    if (was_running) {
      report(id, "killed", "killed " + id);
    } else {
      report(id, "already_exited", id + " had already ended; killed what it left running");
    }
    report_survivors(survivors);
  }

  Task<void> send_signal(const ProcessInfo& info) {
    const std::string name = signal_name(options_.signal);
    if (!info.running) {
      failed_ = true;
      co_return report(info.id, "already_exited", already_ended(info));
    }
    const auto sent = co_await processes_.signal(info.id, options_.signal);
    if (!sent) co_return report_failure(info.id, sent.error());
    report(info.id, "ok", "sent " + name + " to " + info.id);
  }

  void report(const std::string& id, std::string_view status, const std::string& text) {
    results_.push_back(json::object{{"id", id}, {"status", status}});
    text_ += text + "\n";
  }

  void report_failure(const std::string& id, const Error& error) {
    failed_ = true;
    const bool missing = error.kind() == ErrorKind::not_found;
    results_.push_back(json::object{
        {"id", id}, {"status", missing ? "not_found" : "error"}, {"error", error.message()}});
    if (!options_.json) complain(stdio_, with_advice(error).message());
  }

  void report_survivors(const std::vector<Leftover>& survivors) {
    json::array list;
    for (const Leftover& survivor : survivors) {
      failed_ = true;
      list.push_back(json::object{
          {"pid", survivor.pid}, {"name", survivor.name}, {"reason", survivor.reason}});
      if (!options_.json) complain(stdio_, survivor_text(survivor));
    }
    if (!list.empty()) results_.back().as_object()["survivors"] = std::move(list);
  }

  AsioProcesses processes_;
  KillOptions options_;
  Stdio stdio_;
  json::array results_;
  std::string text_;
  bool failed_ = false;
};

}  // namespace

Task<int> run_command(AsioRuntime& runtime, KillOptions options, Stdio stdio) {
  KillRun run(runtime, std::move(options), stdio);
  co_return co_await run.run();
}

}  // namespace talaria::front::cli
