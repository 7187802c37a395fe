#include "link/registry.h"

#include <utility>

namespace talaria::link {
namespace {

Admission refused(CloseReason reason, std::string message, bool known_link) {
  return {.refusal = reason, .message = std::move(message), .known_link = known_link};
}

}  // namespace

LinkRegistry::LinkRegistry(std::string instance, std::size_t max_links, std::size_t max_starts)
    : instance_(std::move(instance)), max_links_(max_links), starts_(max_starts) {}

Admission LinkRegistry::admit(const ClientHello& hello, ConnectionKey connection) {
  const auto it = links_.find(hello.link);
  const bool known = it != links_.end();
  if (hello.major != kProtocolMajor) {
    return refused(CloseReason::version,
                   "this runner speaks protocol " + std::to_string(kProtocolMajor) + ", not " +
                       std::to_string(hello.major),
                   known);
  }
  if (!hello.expected_instance.empty() && hello.expected_instance != instance_) {
    return refused(CloseReason::instance,
                   "this runner is instance " + instance_ + ", not " + hello.expected_instance,
                   known);
  }
  if (known) {
    Link& link = it->second;
    if (hello.connection <= link.connection_number) {
      return refused(CloseReason::superseded,
                     "connection " + std::to_string(hello.connection) +
                         " of this link comes after "
                         "connection " +
                         std::to_string(link.connection_number),
                     true);
    }
    if (!link.live) ++live_;
    idle_.erase(link.last_use);
    link.connection_number = hello.connection;
    return {.known_link = true, .superseded = std::exchange(link.live, connection)};
  }

  // A link that is resumed must be known, or a start could run twice. But if the client means this
  // very runner and no link was ever forgotten here, its earlier connections never arrived.
  const bool never_arrived = hello.expected_instance == instance_ && !forgot_any_;
  if (hello.resuming && !never_arrived) {
    return refused(CloseReason::unknown_link, "this runner has no memory of the link", false);
  }
  if (!make_room()) {
    return refused(CloseReason::busy,
                   "this runner serves " + std::to_string(max_links_) + " links already", false);
  }
  links_[hello.link] = {.connection_number = hello.connection, .live = connection};
  ++live_;
  return {};
}

void LinkRegistry::disconnected(const LinkId& id, ConnectionKey connection) {
  const auto it = links_.find(id);
  if (it == links_.end() || it->second.live != connection) return;
  it->second.live.reset();
  it->second.last_use = ++uses_;
  idle_[uses_] = id;
  --live_;
}

std::optional<ConnectionKey> LinkRegistry::live_connection(const LinkId& id) const {
  const auto it = links_.find(id);
  return it == links_.end() ? std::nullopt : it->second.live;
}

bool LinkRegistry::make_room() {
  if (links_.size() < max_links_) return true;
  for (auto it = idle_.begin(); it != idle_.end(); ++it) {
    const LinkId id = it->second;
    if (starts_.has_unfinished(id)) continue;
    starts_.forget_link(id);
    links_.erase(id);
    idle_.erase(it);
    forgot_any_ = true;
    return true;
  }
  return false;
}

}  // namespace talaria::link
