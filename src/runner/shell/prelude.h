// Prelude: the part of a shell's state that is on disk for it to read; see shell/script.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/result.h"
#include "base/task.h"
#include "shell/state.h"

namespace talaria::runner {

// One text in a directory of its own, both removed with their owner.
class Prelude {
 public:
  static Result<std::shared_ptr<const Prelude>> write(std::string directory, std::string_view text);

  explicit Prelude(std::string directory) : directory_(std::move(directory)) {}
  ~Prelude();
  Prelude(const Prelude&) = delete;
  Prelude& operator=(const Prelude&) = delete;

  const std::string& directory() const { return directory_; }
  bool is_there() const;

 private:
  std::string directory_;
};

// Where preludes are made. Sessions that define the same share one; that of sessions which define
// nothing is there from the start, if need be in memory: so a command can run when the disk is
// full, and then bring its definitions along itself.
class Preludes {
 public:
  // `directory` is private to us; `bash` is asked whether it can read what it printed.
  static Result<std::shared_ptr<Preludes>> open(std::string directory, std::string bash);

  // For the definitions (functions, aliases, options) of `state`. Functions are guarded at first
  // (shell/script.h). On the loop that `check_on` names, bash is then asked whether it can read
  // them as they are; if so, they become plain.
  Result<std::shared_ptr<const Prelude>> make(const shell::ShellState& state);
  void check_on(const asio::any_io_executor& executor) { executor_ = executor; }

  // The one without definitions; null if it was removed.
  std::shared_ptr<const Prelude> spare() const;

 private:
  Preludes(std::string directory, std::string bash)
      : directory_(std::move(directory)), bash_(std::move(bash)) {}

  struct Shared {
    std::shared_ptr<const Prelude> prelude;
    std::uint64_t last_use = 0;
  };
  Result<std::shared_ptr<const Prelude>> write(const shell::ShellState& state,
                                               const std::string& plain) const;
  void keep(const std::string& text, std::shared_ptr<const Prelude> prelude);
  bool make_spare_elsewhere();

  std::string directory_;
  std::string bash_;
  asio::any_io_executor executor_;  // empty: nothing is checked
  std::shared_ptr<const Prelude> spare_;
  std::map<std::string, Shared> shared_;  // by text
  std::uint64_t uses_ = 0;
};

}  // namespace talaria::runner
