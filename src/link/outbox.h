// Outbox: what one connection has yet to write, in the order that is fair. Control frames and
// credits go first; then the exchanges take turns, one frame of at most kMaxFrameData each, so a 10
// MB message delays a small one by a frame and not by itself. Within an exchange the order of the
// calls is kept (only credits overtake).
//
// A message of several frames begins only when the peer has room to put it together again beside
// those already begun. Data is bounded: room() says how much more an exchange may queue. Messages
// are not refused here; queued_messages() lets the owner end a connection nobody reads.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "link/frame.h"
#include "link/limits.h"

namespace talaria::link {

class Outbox {
 public:
  // The last fragment of this message has been handed out by output(): the peer may have it.
  struct Sent {
    ExchangeId exchange;
    FrameType type;
  };

  void set_peer_reassembly(std::uint64_t bytes) { peer_reassembly_ = bytes; }

  void control(const Frame& frame);
  void ping(std::uint64_t number) { ping_ = number; }  // replaces one not yet sent
  void pong(std::uint64_t number) { pong_ = number; }  // likewise
  void credit(ExchangeId exchange, std::uint64_t taken, std::uint64_t limit);  // likewise
  void message(ExchangeId exchange, FrameType type, std::string bytes);
  // `errors`: they are of standard error.
  void data(ExchangeId exchange, std::uint64_t offset, std::string_view bytes, bool errors = false);
  void end(ExchangeId exchange, std::uint64_t offset);

  // Forgets what waits for the exchange. True if part of a message of it is already out.
  bool drop(ExchangeId exchange);
  void drop_exchanges();  // all of them; control frames stay

  std::size_t room(ExchangeId exchange) const;
  std::size_t queued_data() const { return data_bytes_; }
  std::size_t queued_messages() const { return message_bytes_; }

  // The bytes to write next: the same until wrote() has counted them off; empty: nothing to do.
  std::string_view output();
  void wrote(std::size_t size);
  bool empty() const;

  std::vector<Sent> take_sent() { return std::exchange(sent_, {}); }

 private:
  struct Item {
    FrameType type;
    std::string bytes;
    std::size_t done = 0;      // bytes of it already handed out
    std::uint64_t offset = 0;  // data: of bytes[0]; end: the final one
    bool errors = false;
  };
  struct Credit {
    std::uint64_t taken;
    std::uint64_t limit;
  };
  struct Lane {
    std::deque<Item> items;
    std::size_t data_bytes = 0;
    std::size_t requests = 0;  // items that are requests: a credit must not overtake them
    std::optional<Credit> credit;
    bool in_turn = false;
  };

  Lane& lane_in_turn(ExchangeId exchange);
  void collect();
  void collect_control();
  bool collect_one(ExchangeId exchange, Lane& lane);
  bool may_begin(const Item& item) const;
  void forget_item(Lane& lane, const Item& item);

  std::string control_;
  std::optional<std::uint64_t> ping_;
  std::optional<std::uint64_t> pong_;
  std::unordered_map<ExchangeId, Lane> lanes_;
  std::deque<ExchangeId> turns_;    // lanes with items; each once
  std::deque<ExchangeId> credits_;  // lanes with a credit; each once

  std::uint64_t peer_reassembly_ = kLeastReassembly;
  std::uint64_t begun_bytes_ = 0;  // sizes of messages partly handed out
  std::size_t data_bytes_ = 0;
  std::size_t message_bytes_ = 0;

  std::string chunk_;  // what output() shows
  std::size_t chunk_done_ = 0;
  std::vector<Sent> sent_;
};

}  // namespace talaria::link
