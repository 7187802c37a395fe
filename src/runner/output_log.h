// OutputLog: what one command printed, addressed by byte cursor. The first and the last part are in
// memory; all of it goes to a spill file, up to a quota, once there is more than a little. Beyond
// the quota the middle is lost, and reads report that.
//
// One that rolls spills from the first byte on and keeps the newest part, a quota of it: what is
// older becomes a hole in the file, whose offsets stay the cursors. Where the filesystem cannot
// make holes it stops at the quota like the others.
//
// Bytes of standard output and standard error stand in the order in which they were read. Which are
// which is known of all bytes that a reader may still need; of older ones it may be forgotten.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret_mask.h"
#include "os/unique_fd.h"

namespace talaria::runner {

struct SpillOptions {
  std::string path;                  // where the file would be made
  std::uint64_t quota = 0;           // bytes; 0: no file
  std::uint64_t after = UINT64_MAX;  // bytes; up to there, or as long as memory holds all, no file
  bool rolls = false;                // keeps the newest bytes, not the first
};

class OutputLog {
 public:
  OutputLog(std::size_t head_size, std::size_t tail_size, SpillOptions spill);
  // What an earlier runner left at `path`; empty if there is nothing.
  static std::unique_ptr<OutputLog> reopen(const std::string& path);
  ~OutputLog();  // removes the spill file, unless it shall stay
  OutputLog(const OutputLog&) = delete;
  OutputLog& operator=(const OutputLog&) = delete;

  void append(std::string_view bytes, bool errors = false);

  // From now on this is not in it. An end that may be its beginning comes with the next bytes, or
  // with show_all().
  void hide(const Secret& secret);
  void show_all();

  void keep_newest();                        // from now on it rolls
  void leave_file() { file_stays_ = true; }  // for the next runner
  void give_up_file();                       // what only the file has is lost

  std::uint64_t total() const { return total_; }

  // How much may be appended before the byte at `cursor` is lost to a reader that stands there.
  std::uint64_t room_before_losing(std::uint64_t cursor) const;

  struct Piece {
    std::uint64_t from = 0;  // past what was asked for if the bytes between are lost
    std::string bytes;       // empty: nothing at or behind the cursor yet
    bool errors = false;     // all of them are of standard error, else none
  };
  // At most `max` bytes from the first one kept at or behind `cursor`. May give less than there is.
  Piece read(std::uint64_t cursor, std::size_t max) const;

  std::string head(std::uint64_t limit) const;
  // The last `limit` bytes at or behind `not_before`.
  Piece tail(std::uint64_t limit, std::uint64_t not_before) const;

  const std::string& spill_path() const { return spill_path_; }  // empty: nothing spilled
  std::uint64_t spill_from() const { return spill_from_; }       // the file holds these ...
  std::uint64_t spilled() const { return spilled_; }             // ... and all up to this
  const std::string& spill_error() const { return spill_error_; }

  // The command is done: give back memory that was kept for more.
  void settle();

 private:
  void add(std::string_view bytes, bool errors);
  Piece read_any(std::uint64_t cursor, std::size_t max) const;
  void keep_to_one_stream(Piece& piece) const;
  std::uint64_t tail_begin() const { return total_ - tail_used_; }
  void append_to_tail(std::string_view bytes);
  void spill(std::string_view bytes);
  void open_spill();
  void spill_memory();
  bool write_spill(std::string_view bytes);
  void give_up_old();
  void copy_tail(std::uint64_t from, std::size_t size, std::string& into) const;

  std::size_t head_size_;
  std::size_t tail_size_;
  SpillOptions options_;
  std::uint64_t total_ = 0;
  std::string head_;
  std::string tail_;  // a ring once it is full
  std::size_t tail_at_ = 0;
  std::size_t tail_used_ = 0;
  std::array<std::unique_ptr<SecretMask>, 2> masks_;  // of output and of errors
  std::deque<std::uint64_t> switches_;                // the cursors where the stream changes
  bool first_is_errors_ = false;                      // the stream before the first of them
  os::UniqueFd file_;
  std::string spill_path_;
  std::uint64_t spill_from_ = 0;
  std::uint64_t spilled_ = 0;
  std::string spill_error_;
  bool spill_closed_ = false;
  bool file_stays_ = false;
};

}  // namespace talaria::runner
