#include "link/ledger.h"

#include <algorithm>

namespace talaria::link {

StartLedger::Begin StartLedger::begin(const LinkId& link, std::uint64_t sequence,
                                      const std::string& start_id, const std::string& process) {
  if (const auto it = entries_.find(start_id); it != entries_.end()) {
    return {Verdict::known, it->second.process};
  }
  if (const auto it = links_.find(link); it != links_.end() && sequence <= it->second.watermark) {
    return {Verdict::expired, {}};
  }
  if (entries_.size() >= max_entries_) {
    if (finished_.empty()) return {Verdict::full, {}};
    evict_oldest();
    // The entry that made room may have been this link's, with a later sequence.
    if (const auto it = links_.find(link); it != links_.end() && sequence <= it->second.watermark) {
      return {Verdict::expired, {}};
    }
  }
  entries_.emplace(start_id, Entry{link, sequence, process});
  ++links_[link].unfinished;
  return {Verdict::fresh, {}};
}

void StartLedger::finished(const std::string& start_id) {
  const auto it = entries_.find(start_id);
  if (it == entries_.end() || it->second.finished) return;
  it->second.finished = true;
  finished_.push_back(start_id);
  if (const auto link = links_.find(it->second.link); link != links_.end()) {
    --link->second.unfinished;
  }
}

void StartLedger::forget_link(const LinkId& link) { links_.erase(link); }

void StartLedger::begin_again(const std::string& start_id) {
  const auto it = entries_.find(start_id);
  if (it == entries_.end() || !it->second.finished) return;
  it->second.finished = false;
  finished_.remove(start_id);
  ++links_[it->second.link].unfinished;
}

bool StartLedger::has_unfinished(const LinkId& link) const {
  const auto it = links_.find(link);
  return it != links_.end() && it->second.unfinished > 0;
}

void StartLedger::evict_oldest() {
  const auto it = entries_.find(finished_.front());
  finished_.pop_front();
  // A link that was forgotten has no watermark to raise, and gets none back.
  if (const auto link = links_.find(it->second.link); link != links_.end()) {
    link->second.watermark = std::max(link->second.watermark, it->second.sequence);
  }
  entries_.erase(it);
}

}  // namespace talaria::link
