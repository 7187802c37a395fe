#include "runner/links.h"

#include <utility>

namespace talaria::runner {

Links::Links(asio::io_context& loop, const std::string& instance, RunTable& runs,
             std::function<void()> changed, std::chrono::milliseconds patience)
    : loop_(loop),
      runs_(runs),
      changed_(std::move(changed)),
      patience_(patience),
      registry_(instance),
      calls_(loop, [this](const std::string& process) { end_process(process); }, patience) {}

link::Admission Links::admit(const link::ClientHello& hello, link::ConnectionKey connection) {
  link::Admission admission = registry_.admit(hello, connection);
  if (!admission.refusal) {
    calls_.connected(hello.link);
    changed_();
  }
  return admission;
}

void Links::disconnected(const link::LinkId& link, link::ConnectionKey connection) {
  registry_.disconnected(link, connection);
  if (!registry_.live_connection(link)) calls_.disconnected(link);
  changed_();
}

void Links::watch(Run& run, RunObserver& watcher) {
  run.add_observer(watcher);
  Watch& watch = watches_[run.spec().process];
  watch.watchers.insert(&watcher);
  watch.deadline.reset();
}

void Links::unwatch(Run& run, RunObserver& watcher) {
  run.remove_observer(watcher);
  const std::string& process = run.spec().process;
  const auto found = watches_.find(process);
  if (found == watches_.end()) return;
  Watch& watch = found->second;
  watch.watchers.erase(&watcher);
  if (!watch.watchers.empty() || watch.deadline) return;
  if (run.finished() || run.spec().background()) {
    watches_.erase(found);
    return;
  }
  watch.deadline = std::make_unique<asio::steady_timer>(loop_, patience_);
  watch.deadline->async_wait([this, process](boost::system::error_code error) {
    if (error) return;
    const auto watched = watches_.find(process);
    // A watcher may have come back while this was on its way.
    if (watched != watches_.end() && watched->second.watchers.empty()) end_process(process);
  });
}

void Links::end_deadline(const std::string& process) {
  const auto found = watches_.find(process);
  if (found == watches_.end()) return;
  found->second.deadline.reset();
  if (found->second.watchers.empty()) watches_.erase(found);
}

void Links::end_process(const std::string& process) {
  if (const auto run = runs_.find(process)) {
    run->kill(link::Ended::killed, run->spec().grace, kSourceLifetime);
  }
}

void Links::run_handed_over(Run& run) { end_deadline(run.spec().process); }

void Links::run_gone(Run& run) {
  const std::string& process = run.spec().process;
  end_deadline(process);
  if (run.spec().lifetime == link::ProcessLifetime::call) calls_.remove(process);
  starts().finished(process);
}

void Links::shut_down() {
  watches_.clear();
  calls_.clear();
}

}  // namespace talaria::runner
