// LinkRegistry: which links a runner knows, and over which connection each is live. It decides
// whether a connection may speak for its link (admit), and holds the ledger of starts, because what
// is known of a link's starts must live exactly as long as the link is known.
//
// At most `max_links` are remembered. A link without a connection and without a running start is
// forgotten first, longest unused first; if it comes back to resume something it is refused, and
// its controller learns that those calls are lost.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "link/handshake.h"
#include "link/ledger.h"
#include "link/limits.h"

namespace talaria::link {

// The runner's own name for one of its connections.
using ConnectionKey = std::uint64_t;

struct Admission {
  std::optional<CloseReason> refusal;  // then Connection::refuse() with `message`
  std::string message;
  bool known_link = false;
  std::optional<ConnectionKey> superseded;  // the link's older connection: close it
};

class LinkRegistry {
 public:
  explicit LinkRegistry(std::string instance, std::size_t max_links = kMaxLinks,
                        std::size_t max_starts = kMaxLedgerEntries);

  Admission admit(const ClientHello& hello, ConnectionKey connection);

  // The connection ended. Does nothing if a newer one has taken its place.
  void disconnected(const LinkId& link, ConnectionKey connection);

  std::optional<ConnectionKey> live_connection(const LinkId& link) const;
  std::size_t live_links() const { return live_; }
  std::size_t known_links() const { return links_.size(); }

  StartLedger& starts() { return starts_; }

 private:
  struct Link {
    std::uint64_t connection_number = 0;  // the highest seen
    std::optional<ConnectionKey> live;
    std::uint64_t last_use = 0;
  };

  bool make_room();

  std::string instance_;
  std::size_t max_links_;
  std::map<LinkId, Link> links_;
  std::map<std::uint64_t, LinkId> idle_;  // by last use
  std::uint64_t uses_ = 0;
  std::size_t live_ = 0;
  bool forgot_any_ = false;
  StartLedger starts_;
};

}  // namespace talaria::link
