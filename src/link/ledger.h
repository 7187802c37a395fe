// StartLedger: how a runner keeps "at most once". It remembers start ids and the process each one
// started. Memory is bounded: finished entries are evicted first, oldest end first, and what is
// evicted raises its link's watermark. Starts carry a sequence that increases within a link, so a
// late copy of an evicted start is at or below the watermark: refused, never run again.
//
// The price is a start that was overtaken by kMaxLedgerEntries later ones before it arrived even
// once: it is refused too.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <unordered_map>

#include "link/handshake.h"
#include "link/limits.h"

namespace talaria::link {

class StartLedger {
 public:
  enum class Verdict {
    fresh,    // run it; the id is now remembered
    known,    // it ran or runs, as `process`
    expired,  // it ran or was overtaken; what it started is forgotten
    full,     // as many unfinished starts as are remembered; nothing was recorded
  };
  struct Begin {
    Verdict verdict;
    std::string process;  // of known
  };

  explicit StartLedger(std::size_t max_entries = kMaxLedgerEntries) : max_entries_(max_entries) {}

  // `process`: the id the start gets if it is fresh.
  Begin begin(const LinkId& link, std::uint64_t sequence, const std::string& start_id,
              const std::string& process);

  // The start ended, or failed to run at all: it may be evicted from now on.
  void finished(const std::string& start_id);

  // A start that did not run, although it is known, is tried once more.
  void begin_again(const std::string& start_id);

  // The link will not be resumed; it has nothing unfinished. Its start ids stay known as long as
  // they are kept.
  void forget_link(const LinkId& link);
  bool has_unfinished(const LinkId& link) const;

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    LinkId link;
    std::uint64_t sequence;
    std::string process;
    bool finished = false;
  };
  struct LinkState {
    std::uint64_t watermark = 0;  // the highest sequence ever evicted
    std::size_t unfinished = 0;
  };

  void evict_oldest();

  std::size_t max_entries_;
  std::unordered_map<std::string, Entry> entries_;
  std::list<std::string> finished_;  // start ids, oldest end first
  std::map<LinkId, LinkState> links_;
};

}  // namespace talaria::link
