#include <boost/json/array.hpp>

#include "base/signal_name.h"
#include "front/cli/process/process_fronts.h"
#include "front/cli/process/process_words.h"
#include "front/cli/report.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

class Killing {
 public:
  Killing(const AsioRuntime& runtime, KillOptions options, Stdio stdio)
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
    if (options_.json) {
      const int said = report_line({{"processes", std::move(told_)}}, stdio_);
      co_return failed_ ? kFailed : said;
    }
    if (options_.all && told_.empty()) text_ = "No process is running.\n";
    const int said = report_text(text_, stdio_);
    co_return failed_ ? kFailed : said;
  }

 private:
  // A person who says all means those that are to be kept, too.
  Task<Result<void>> end_all() {
    KillAll which{.include_keep = true};
    if (!options_.task.empty()) which.task = options_.task;
    const auto all = co_await processes_.kill_all(std::move(which));
    if (!all) co_return fail(all.error());
    tell_away(all->away);
    for (const KilledOne& one : all->processes) {
      if (one.error) {
        tell_failure(one.id, *one.error);
      } else {
        tell_killed(one.id, one.was_running, one.survivors);
      }
    }
    co_return Result<void>();
  }

  Task<Result<void>> look_for_all() {
    const auto list = co_await processes_.list();
    if (!list) co_return fail(list.error());
    tell_away(list->away);
    for (const ProcessInfo& info : list->processes) {
      const bool meant = options_.task.empty() || info.task == options_.task;
      if (info.running && meant) options_.ids.push_back(info.id);
    }
    co_return Result<void>();
  }

  Task<void> end(const std::string& id) {
    const auto before = co_await processes_.find(id);
    if (!before) co_return tell_failure(id, before.error());
    if (options_.signal != 0) co_return co_await send_signal(*before);
    if (!before->running && before->background_children == 0) {
      co_return tell(id, "already_exited", id + " had ended: it " + end_words(*before));
    }
    const auto killed = co_await processes_.kill(id);
    if (!killed) co_return tell_failure(id, killed.error());
    tell_killed(id, before->running, killed->survivors);
  }

  void tell_away(const std::vector<Error>& away) {
    for (const Error& error : away) {
      if (!options_.json) complain(stdio_, error.message());
      failed_ = true;
    }
  }

  void tell_killed(const std::string& id, bool was_running,
                   const std::vector<Leftover>& survivors) {
    if (was_running) {
      tell(id, "killed", "killed " + id);
    } else {
      tell(id, "already_exited", id + " had ended; killed what it left running");
    }
    tell_survivors(survivors);
  }

  Task<void> send_signal(const ProcessInfo& info) {
    const std::string name = signal_name(options_.signal);
    if (!info.running) {
      failed_ = true;
      co_return tell(info.id, "already_exited", info.id + " had ended: it " + end_words(info));
    }
    const auto sent = co_await processes_.signal(info.id, options_.signal);
    if (!sent) co_return tell_failure(info.id, sent.error());
    tell(info.id, "ok", "sent " + name + " to " + info.id);
  }

  void tell(const std::string& id, std::string_view status, const std::string& words) {
    told_.push_back(json::object{{"id", id}, {"status", status}});
    text_ += words + "\n";
  }

  void tell_failure(const std::string& id, const Error& error) {
    failed_ = true;
    const bool missing = error.kind() == ErrorKind::not_found;
    told_.push_back(json::object{
        {"id", id}, {"status", missing ? "not_found" : "error"}, {"error", error.message()}});
    if (!options_.json) complain(stdio_, error.message());
  }

  void tell_survivors(const std::vector<Leftover>& survivors) {
    json::array list;
    for (const Leftover& survivor : survivors) {
      failed_ = true;
      list.push_back(json::object{
          {"pid", survivor.pid}, {"name", survivor.name}, {"reason", survivor.reason}});
      if (!options_.json) complain(stdio_, survivor_words(survivor));
    }
    if (!list.empty()) told_.back().as_object()["survivors"] = std::move(list);
  }

  AsioProcesses processes_;
  KillOptions options_;
  Stdio stdio_;
  json::array told_;
  std::string text_;
  bool failed_ = false;
};

}  // namespace

Task<int> kill_front(AsioRuntime& runtime, KillOptions options, Stdio stdio) {
  Killing killing(runtime, std::move(options), stdio);
  co_return co_await killing.run();
}

}  // namespace talaria::front::cli
