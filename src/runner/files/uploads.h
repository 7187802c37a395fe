// Uploads: files that are on their way to this target, piece by piece, and not yet in place
// (staged_file.h). An upload that is not continued is dropped.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "link/file_messages.h"
#include "runner/files/staged_file.h"
#include "runner/limits.h"

namespace talaria::runner {

namespace asio = boost::asio;

class Uploads {
 public:
  explicit Uploads(const asio::any_io_executor& executor,
                   std::chrono::milliseconds patience = kUploadPatience)
      : timer_(executor), patience_(patience) {}
  Uploads(const Uploads&) = delete;
  Uploads& operator=(const Uploads&) = delete;
  ~Uploads() { drop_all(); }

  Result<link::WriteFileReport> write(const std::string& home, const link::WriteFile& piece);

  // What was uploaded as `id`, `size` bytes and without a last piece, for its caller to put in
  // place or to discard.
  Result<StagedFile> claim(const std::string& id, std::uint64_t size);

  void drop_all();
  std::size_t open() const { return open_.size(); }

 private:
  struct Upload {
    StagedFile staged;
    std::chrono::steady_clock::time_point touched;
    std::map<std::uint64_t, std::string> ahead;  // overtook what is before them, by their cursor
    std::size_t ahead_bytes = 0;
  };
  using Open = std::map<std::string, Upload>;

  Result<Open::iterator> begin(const std::string& home, const link::WriteFile& piece);
  static Result<void> prepare(StagedFile& staged, const std::string& home,
                              const link::WriteFile& piece);
  static Result<void> take(Upload& upload, const link::WriteFile& piece);
  static Result<void> hold(Upload& upload, const link::WriteFile& piece);
  static Result<link::FileEntry> put_in_place(StagedFile& staged, const link::WriteFile& piece);
  void remember(const std::string& id, const link::WriteFileReport& report);
  void drop_idle();
  void set_timer();

  Open open_;
  std::map<std::string, link::WriteFileReport> finished_;  // so that a last piece may come again
  std::deque<std::string> finished_order_;
  asio::steady_timer timer_;
  std::chrono::milliseconds patience_;
};

}  // namespace talaria::runner
