// Situation: how a command comes to run, as far as the text around it tells.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace talaria::guard {

// Bounds, for texts made to be slow.
inline constexpr int kMaxDepth = 24;           // texts in texts, commands that run commands
inline constexpr std::size_t kMaxInner = 256;  // commands that one runs; variables set for it

struct Situation {
  // Whether the command before it succeeded, where the text tells.
  enum class Status : std::uint8_t { unknown, success, failure };
  // How far the text may have been left at some point before.
  enum class Jump : std::uint8_t { none, loop, function, shell };

  bool once = true;  // not in a loop or a branch
  bool sure = true;  // it happens whenever the function around it is called
  bool elsewhere = false;
  bool background = false;
  bool in_function = false;
  Status status = Status::unknown;
  Jump jump = Jump::none;
  std::string run_by;  // the commands around it that run it
  int depth = 0;       // texts in texts

  // Neither repeated nor left out.
  bool certain() const { return once && sure && !in_function; }
};

// A value that is again what it was when the scope ends.
template <class T>
class Kept {
 public:
  explicit Kept(T& at) : at_(at), before_(at) {}
  Kept(T& at, T now) : at_(at), before_(std::exchange(at, std::move(now))) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() { at_ = std::move(before_); }

  const T& before() const { return before_; }

 private:
  T& at_;
  T before_;
};

}  // namespace talaria::guard
