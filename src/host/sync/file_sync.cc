#include "host/sync/file_sync.h"

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "host/sync/push_round.h"
#include "os/file.h"

namespace talaria::host {
namespace {

using Clock = std::chrono::steady_clock;

// Whether it was removed here. A directory that is not there may come back: it is not mounted.
bool is_gone(const SharedFile& file) {
  return !os::file_facts(file.host()) && os::check_directory(file.root);
}

bool is_same_file(const SharedFile& one, const SharedFile& other) {
  return one.root == other.root && one.inside == other.inside;
}

}  // namespace

// The one round that is under way; its destructor wakes the calls that wait for it.
class FileSync::Turn {
 public:
  explicit Turn(FileSync& sync) : sync_(sync) { sync_.under_way_ = std::make_shared<AsyncEvent>(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    sync_.last_attempt_ = Clock::now();
    std::exchange(sync_.under_way_, nullptr)->set();
  }

 private:
  FileSync& sync_;
};

bool FileSync::is_due() const {
  return options_.always || !last_attempt_ || Clock::now() - *last_attempt_ >= options_.pause;
}

Task<std::vector<std::string>> FileSync::push(environment::Files& files, CancelToken cancel) {
  std::vector<std::string> notices;
  if (under_way_) {
    const auto other = under_way_;
    co_await other->wait();
    co_return notices;
  }
  if (!is_due()) co_return notices;
  const Turn turn(*this);
  SharedList list = list_();
  for (std::string& notice : list.notices) {
    if (reported_.insert(notice).second) notices.push_back(std::move(notice));
  }
  const Result<void> pushed = co_await run_round(files, list, cancel, notices);
  const std::string failure = pushed ? "" : pushed.error().message();
  // Reported once, not with every command while it lasts.
  if (!cancel.cancelled() && std::exchange(last_failure_, failure) != failure && !pushed) {
    notices.push_back("Skills, caches and credential files were not copied to the target: " +
                      failure + ". The next command tries again.");
  }
  co_return notices;
}

// What another program of this home has written down meanwhile, or an earlier one. A file that is
// here but not shared by this program may be shared by another.
void FileSync::learn(const SharedList& list) {
  auto known = record_.read_if_changed();
  if (!known) return;
  for (auto& [path, file] : *known) {
    const auto listed = list.files.find(path);
    const bool ours =
        listed == list.files.end() ? is_gone(file.from) : is_same_file(listed->second, file.from);
    if (!ours) continue;
    if (listed != list.files.end()) file.from.secret = listed->second.secret;
    pushed_.insert_or_assign(path, std::move(file));
  }
}

void FileSync::learn_again() {
  auto known = record_.read_if_changed();
  if (!known) return;
  for (auto& [path, file] : pushed_) {
    const auto found = known->find(path);
    if (found != known->end() && is_same_file(found->second.from, file.from)) {
      file = std::move(found->second);
    }
  }
}

// A record that cannot be written is missed by the next program only, which then keeps copies.
Task<Result<void>> FileSync::run_round(environment::Files& files, const SharedList& list,
                                       CancelToken cancel, std::vector<std::string>& notices) {
  learn(list);
  PushResult result{.known = pushed_};
  const Result<void> done = co_await push_round(
      files, list,
      PushRoundOptions{.home = options_.home, .base = options_.base, .all = !has_looked_},
      std::move(cancel), result);
  for (std::string& notice : result.notices) notices.push_back(std::move(notice));
  if (!done) co_return done;
  has_looked_ = true;
  pushed_ = std::move(result.known);
  if (!result.changed.empty()) (void)co_await record_.change(result.changed, pushed_);
  co_return Result<void>();
}

Task<SyncedBack> FileSync::pull(environment::Files& files, CancelToken cancel) {
  if (pushed_.empty()) co_return SyncedBack();
  learn_again();
  const SyncBackOptions options{
      .home = options_.home, .base = options_.base, .retry = options_.retry};
  SyncedBack back = co_await sync_back(files, pushed_, options, std::move(cancel));
  std::set<std::string> changed;
  for (auto& [path, file] : back.same) {
    changed.insert(path);
    pushed_.insert_or_assign(path, file);
  }
  if (!changed.empty()) (void)co_await record_.change(std::move(changed), pushed_);
  co_return back;
}

}  // namespace talaria::host
