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
struct Stored {
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

  bool step(Connection& from, Connection& to, std::deque<Stored>& events) {
    const std::string bytes(from.output());
    from.wrote(bytes.size());
    to.receive(bytes);
    const bool got = collect(to, events);
    const bool other = collect(from, &from == &client ? at_client : at_runner);
    return !bytes.empty() || got || other;
  }

  bool collect(Connection& connection, std::deque<Stored>& events) {
    bool any = false;
    while (std::optional<Event> event = connection.next_event()) {
      any = true;
      if (std::holds_alternative<ClientHello>(*event)) {
        runner.accept({.instance = "i1", .limits = runner_limits_});
      }
      Stored stored{*event, {}};
      if (const Data* data = std::get_if<Data>(&*event)) stored.bytes = data->bytes;
      events.push_back(std::move(stored));
    }
    return any;
  }

  // The next event of this type, skipping others; a test failure if there is none.
  template <class T>
  T next(std::deque<Stored>& events, std::string* bytes = nullptr) {
    while (!events.empty()) {
      Stored stored = std::move(events.front());
      events.pop_front();
      if (bytes != nullptr) *bytes = stored.bytes;
      if (T* event = std::get_if<T>(&stored.event)) return *event;
    }
    ADD_FAILURE() << "the event did not come";
    if constexpr (std::is_same_v<T, Closed>) {
      return Closed{.error = Error(ErrorKind::system, "none")};
    } else {
      return T{};
    }
  }

  template <class T>
  std::size_t count(const std::deque<Stored>& events) const {
    std::size_t found = 0;
    for (const Stored& stored : events) found += std::holds_alternative<T>(stored.event);
    return found;
  }

  Connection client;
  Connection runner;
  std::deque<Stored> at_client;
  std::deque<Stored> at_runner;

 private:
  LinkLimits runner_limits_;
};

}  // namespace talaria::link
