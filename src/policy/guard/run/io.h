// Io: what the shell reads and who listens to what it prints, at one point of its text.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "policy/guard/run/output.h"
#include "policy/guard/run/seen_command.h"
#include "policy/guard/run/situation.h"

namespace talaria::guard {

// Paths that are names of open files. The number behind /dev/fd/; -1: it is no such path.
int descriptor_of(std::string_view path);
// What <(…) becomes.
inline bool is_process(std::string_view path) {
  return path.starts_with("/dev/fd/") && path.ends_with(kUnknownPiece);
}

inline SeenInput unknown_input() { return {.kind = SeenInput::Kind::pipe}; }
inline SeenInput text_input(const std::shared_ptr<const std::string>& text) {
  return {.kind = text ? SeenInput::Kind::document : SeenInput::Kind::pipe, .text = text};
}

class Io {
 public:
  explicit Io(const Situation& now) : now_(now) {}

  // What the shell reads, by its standard input and its other descriptors.
  struct Reading {
    SeenInput input;
    std::map<int, SeenInput> descriptors;
  };
  const SeenInput& input() const { return reading_.input; }
  void set_input(SeenInput input) { reading_.input = std::move(input); }
  void set_descriptor(int descriptor, SeenInput input) {
    reading_.descriptors[descriptor] = std::move(input);
  }

  // What the command would read there.
  SeenInput input_of(const SeenCommand& seen, int descriptor) const;
  // What is behind a word that names a descriptor or is <(…); nothing: it is another path.
  std::optional<SeenInput> input_named(const SeenCommand& seen, std::size_t at) const;
  // exec <file: what the shell itself reads from now on.
  void keep(const SeenCommand& seen);

  // What is set inside ends with the scope, unless `exec` changed it for good.
  class Scope {
   public:
    explicit Scope(Io& io, bool apart = false)
        : io_(io), before_(io.reading_), changes_(io.changes_), apart_(apart) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() {
      if (apart_ || changes_ == io_.changes_) io_.reading_ = std::move(before_);
    }

   private:
    Io& io_;
    Reading before_;
    int changes_;
    bool apart_;  // a shell of its own
  };

  // Who listens; null: nobody does.
  Output* listener() { return listener_; }
  void forget_output() {
    if (listener_ != nullptr) listener_->forget();
  }
  // Adds what the command prints.
  void print(const SeenCommand& seen);

  // Instead of who listens now, to the same commands.
  Kept<Output*> listen_instead(Output* output) { return {listener_, output}; }
  // Listens to the commands that the same program runs, until the scope ends.
  class Listening {
   public:
    Listening(Io& io, Output* output)
        : listener_(io.listener_, output), by_(io.listened_by_, io.now_.run_by) {}

   private:
    Kept<Output*> listener_;
    Kept<std::string> by_;
  };

 private:
  const Situation& now_;
  Reading reading_;
  int changes_ = 0;  // by exec
  Output* listener_ = nullptr;
  std::string listened_by_;
};

}  // namespace talaria::guard
