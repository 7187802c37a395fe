// Variables: what is known of a shell's variables and functions at one point of its text. A
// variable may have several possible values, of a loop or of branches; one choice of them counts at
// a time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/guard/run/seen_command.h"

namespace talaria {

inline constexpr std::size_t kMaxPossibleValues = 64;

struct ShellValue {
  std::vector<SeenWord> items;  // one, but of an array
  bool array = false;
};

struct ShellVariable {
  std::vector<ShellValue> values;  // what it may be
  bool unset = false;
  const ShellCommand* function = nullptr;
};

class Variables {
 public:
  // The value that counts now; null: nothing is known. Remembers that it was asked for.
  const ShellValue* find(const std::string& name);
  bool is_unset(const std::string& name) const;
  const ShellCommand* find_function(const std::string& name) const;

  void set(const std::string& name, ShellValue value);
  void set_any(const std::string& name, std::vector<ShellValue> values);
  void unset(const std::string& name);
  void forget(const std::string& name);  // it may be anything now
  void define(const std::string& name, const ShellCommand* function);

  // A part of the text that runs in a shell of its own, or perhaps not at all.
  std::size_t mark() const { return journal_.size(); }
  void undo(std::size_t mark);
  void join(std::size_t mark);  // what changed since may have changed

  // Goes through all choices of the variables that `find` was asked for since `first_choice`.
  void first_choice();
  bool next_choice();
  // Of a command inside another: its choices are its own.
  struct Choice {
    std::map<std::string, std::size_t> chosen;
    bool choosing = false;
  };
  Choice pause_choice() { return std::exchange(choice_, {}); }
  void resume_choice(Choice choice) { choice_ = std::move(choice); }

 private:
  void remember(const std::string& name);

  std::map<std::string, ShellVariable, std::less<>> variables_;
  std::vector<std::pair<std::string, std::optional<ShellVariable>>> journal_;
  Choice choice_;
};

}  // namespace talaria
