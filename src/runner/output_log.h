// OutputLog: what one command printed, addressed by byte cursor. The first and the last part are in
// memory; all of it goes to a spill file, up to a quota, once there is more than a little. Beyond
// the quota the middle is lost, and reads say so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria {

struct SpillOptions {
  std::string path;                  // where the file would be made
  std::uint64_t quota = 0;           // bytes; 0: no file
  std::uint64_t after = UINT64_MAX;  // bytes; up to there, or as long as memory holds all, no file
};

class OutputLog {
 public:
  OutputLog(std::size_t head_size, std::size_t tail_size, SpillOptions spill);
  ~OutputLog();  // removes the spill file
  OutputLog(const OutputLog&) = delete;
  OutputLog& operator=(const OutputLog&) = delete;

  void append(std::string_view bytes);

  std::uint64_t total() const { return total_; }

  // How much may be appended before the byte at `cursor` is lost to a reader that stands there.
  std::uint64_t room_before_losing(std::uint64_t cursor) const;

  struct Piece {
    std::uint64_t from = 0;  // past what was asked for if the bytes between are lost
    std::string bytes;       // empty: nothing at or behind the cursor yet
  };
  // At most `max` bytes from the first one kept at or behind `cursor`. May give less than there is.
  Piece read(std::uint64_t cursor, std::size_t max) const;

  std::string head(std::uint64_t limit) const;
  // The last `limit` bytes at or behind `not_before`.
  Piece tail(std::uint64_t limit, std::uint64_t not_before) const;

  const std::string& spill_path() const { return spill_path_; }  // empty: nothing spilled
  std::uint64_t spilled() const { return spilled_; }             // the file holds [0, spilled)
  const std::string& spill_error() const { return spill_error_; }

  // The command is done: give back memory that was kept for more.
  void settle();

 private:
  std::uint64_t tail_begin() const { return total_ - tail_used_; }
  void append_to_tail(std::string_view bytes);
  void spill(std::string_view bytes);
  void open_spill();
  void copy_tail(std::uint64_t from, std::size_t size, std::string& into) const;

  std::size_t head_size_;
  std::size_t tail_size_;
  SpillOptions options_;
  std::uint64_t total_ = 0;
  std::string head_;
  std::string tail_;  // a ring once it is full
  std::size_t tail_at_ = 0;
  std::size_t tail_used_ = 0;
  UniqueFd file_;
  std::string spill_path_;
  std::uint64_t spilled_ = 0;
  std::string spill_error_;
  bool spill_closed_ = false;
};

}  // namespace talaria
