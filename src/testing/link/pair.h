// Two connected ends of a link, for tests of what one side's calls become at the other.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "link/connection.h"

namespace talaria::link {

// Events whose data outlives the connection's buffer.
struct Kept {
  Event event;
  std::string bytes;
};

class Pair {
 public:
  explicit Pair(LinkLimits client_limits = {}, LinkLimits runner_limits = {})
      : client(Connection::to_runner(ClientHello{.limits = client_limits})),
        runner(Connection::to_client(runner_limits)),
        runner_limits_(runner_limits) {}

  // Lets everything arrive, and accepts the client when it says hello.
  void settle() {
    for (bool moved = true; moved;) {
      moved = step(client, runner, at_runner);
      moved |= step(runner, client, at_client);
    }
  }

  bool step(Connection& from, Connection& to, std::deque<Kept>& events) {
    const std::string bytes(from.output());
    from.wrote(bytes.size());
    to.receive(bytes);
    const bool got = collect(to, events);
    const bool other = collect(from, &from == &client ? at_client : at_runner);
    return !bytes.empty() || got || other;
  }

  bool collect(Connection& connection, std::deque<Kept>& events) {
    bool any = false;
    while (std::optional<Event> event = connection.next_event()) {
      any = true;
      if (std::holds_alternative<ClientHello>(*event)) {
        runner.accept({.instance = "i1", .limits = runner_limits_});
      }
      Kept kept{*event, {}};
      if (const Data* data = std::get_if<Data>(&*event)) kept.bytes = data->bytes;
      events.push_back(std::move(kept));
    }
    return any;
  }

  // The next event of this type, skipping others; a test failure if there is none.
  template <class T>
  T next(std::deque<Kept>& events, std::string* bytes = nullptr) {
    while (!events.empty()) {
      Kept kept = std::move(events.front());
      events.pop_front();
      if (bytes != nullptr) *bytes = kept.bytes;
      if (T* event = std::get_if<T>(&kept.event)) return *event;
    }
    ADD_FAILURE() << "the event did not come";
    if constexpr (std::is_same_v<T, Closed>) {
      return Closed{.error = Error(ErrorKind::system, "none")};
    } else {
      return T{};
    }
  }

  template <class T>
  std::size_t count(const std::deque<Kept>& events) const {
    std::size_t found = 0;
    for (const Kept& kept : events) found += std::holds_alternative<T>(kept.event);
    return found;
  }

  Connection client;
  Connection runner;
  std::deque<Kept> at_client;
  std::deque<Kept> at_runner;

 private:
  LinkLimits runner_limits_;
};

}  // namespace talaria::link
