// OutputSender: what a run prints, or another log, on its way to one requester, as far as the
// requester allows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "link/connection.h"
#include "runner/run.h"

namespace talaria::runner {

class OutputSender {
 public:
  OutputSender(std::uint64_t from, std::uint64_t until) : cursor_(from), until_(until) {}

  // True if anything was sent.
  bool send(link::Connection& connection, link::ExchangeId id, const OutputLog& log);
  void taken_before(std::uint64_t cursor) { taken_ = std::max(taken_, cursor); }

  // Nothing more can be sent for now: it is all there, or a gap leads further than allowed.
  bool caught_up(const Run& run) const {
    return beyond_credit_ || cursor_ >= std::min(until_, run.output().total());
  }
  bool complete() const { return cursor_ >= until_; }
  bool beyond_credit() const { return beyond_credit_; }
  std::uint64_t cursor() const { return cursor_; }
  std::uint64_t taken() const { return taken_; }
  std::uint64_t lost() const { return lost_; }  // bytes that are no longer there

 private:
  std::uint64_t cursor_;  // of the next byte to send
  std::uint64_t until_;
  std::uint64_t taken_ = cursor_;  // the requester has everything before
  std::uint64_t lost_ = 0;
  bool beyond_credit_ = false;
};

}  // namespace talaria::runner
