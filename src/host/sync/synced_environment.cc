#include "host/sync/synced_environment.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>

#include "base/wall_time.h"
#include "os/file.h"
#include "os/file_facts.h"

namespace talaria::host {
namespace {

constexpr std::uint64_t kLongestLog = 1u << 20;

// Adds a line for each notice, with the time. A log that has become long is renamed to PATH.1.
Result<void> append_to_log(const std::string& path, std::string_view target,
                           const std::vector<std::string>& notices) {
  const auto made = os::make_private_directory(path.substr(0, path.rfind('/')));
  if (!made) return made;
  if (const auto facts = os::file_facts(path); facts && facts->size > kLongestLog) {
    std::rename(path.c_str(), (path + ".1").c_str());
  }
  const auto file = os::open_file(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0600);
  if (!file) return fail(file.error());
  std::string text;
  const std::string now = utc_time(std::chrono::system_clock::now()) + "Z";
  for (const std::string& notice : notices) {
    text += now + " " + std::string(target) + ": " + notice + "\n";
  }
  return os::write_all(file->get(), text);
}

}  // namespace

Task<Result<environment::CommandOutcome>> SyncedEnvironment::run(environment::CommandSpec spec,
                                                                 CancelToken cancel) {
  std::vector<std::string> notices = co_await sync_.push(environment_->files(), cancel);
  Result<environment::CommandOutcome> outcome = co_await environment_->run(std::move(spec), cancel);
  if (outcome) std::ranges::move(notices, std::back_inserter(outcome->notices));
  co_return outcome;
}

Task<SyncedBack> SyncedEnvironment::bring_back() {
  const auto bringing = bringing_;
  const auto cancel = bringing->under_way_.emplace(bringing->under_way_.end());
  if (bringing->stopped_) cancel->cancel();
  SyncedBack back = co_await sync_.pull(environment_->files(), *cancel);
  bringing->under_way_.erase(cancel);
  co_return back;
}

// At the end of a program the report may have no reader, so it is also written to the log.
Task<Result<void>> SyncedEnvironment::close(bool remove) {
  const SyncedBack back = co_await bring_back();
  const bool removes = remove && (back.complete || outlives_);
  if (!back.complete) environment_->leave_files();
  const Result<void> closed = co_await environment_->close(removes);
  const bool ends = !outlives_ && (removes || !environment_->persistent());
  if (closed && back.complete && ends) sync_.forget();
  if (back.notices.empty()) co_return closed;
  (void)append_to_log(log_, target(), back.notices);
  if (!closed || back.complete) co_return closed;
  std::string text;
  for (const std::string& notice : back.notices) text += (text.empty() ? "" : "; ") + notice;
  co_return fail(ErrorKind::system, text);
}

}  // namespace talaria::host
