// Variables: what is known of a shell's variables, functions and aliases at one point of its text.
// Each may have several possible values, of a loop or of branches; one choice of them counts at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/guard/run/budget.h"
#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

inline constexpr std::size_t kMaxPossibleValues = 64;

struct ShellValue {
  enum class Kind : std::uint8_t {
    known,
    unset,
    unknown,  // the text made it, and does not tell what it is
    outside,  // what it was before the text
  };

  std::vector<SeenWord> items;  // one, but of an array
  bool array = false;
  bool keyed = false;  // of an array: which of them is where is not known
  Kind kind = Kind::known;
  const ShellCommand* function = nullptr;  // of a function's name

  bool is_known() const { return kind == Kind::known; }
};

using Value = std::shared_ptr<const ShellValue>;

struct ShellVariable {
  std::vector<Value> values;  // what it may be; `outside` is the last one
  bool opaque = false;        // its values are not those it is given: a trap or `declare -l`
  bool fixed = false;         // readonly: it may keep the value it has
};

class Variables {
 public:
  using Texts = std::vector<std::pair<std::string, std::string>>;

  // `start`: what some are before the text, by name and value. It outlives the variables.
  Variables(Budget& budget, const Texts& start);

  static Value unknown_value();
  static Value unset_value();

  // The value that counts now, never null. Remembers that it was asked for.
  Value look(std::string_view name);
  // The same where it is known, else null.
  const ShellValue* find(std::string_view name);
  // All of what it may be.
  ShellVariable all(std::string_view name) const;
  // The same; null: the text has not touched it. It is gone with the next change.
  const ShellVariable* get(std::string_view name) const;
  bool has(std::string_view name) const { return get(name) != nullptr; }

  void set(const std::string& name, ShellValue value);
  void set_any(const std::string& name, const std::vector<Value>& values);
  void unset(const std::string& name);
  void forget(const std::string& name);  // it may be anything now
  void forget_all();
  void doubt_plain();                   // every variable may be something else, too
  void reset(const std::string& name);  // as it was before the text
  void put(const std::string& name, ShellVariable variable);      // as it was once
  void put_too(const std::string& name, ShellVariable variable);  // or as it is
  void make_opaque(const std::string& name);
  void make_fixed(const std::string& name);

  // A part of the text that runs in a shell of its own, or perhaps not at all.
  std::size_t mark() const { return journal_.size(); }
  void undo(std::size_t mark);
  // What changed since may have changed. Returns what has a value that it had not.
  std::vector<std::string> join(std::size_t mark);
  std::vector<std::string> changed(std::size_t mark) const;
  void doubt(const std::vector<std::string>& names);  // they may be something else, too

  // Several ways the text may go on: what each has changed since `mark`, then all of them at once.
  using Changes = std::map<std::string, ShellVariable>;
  Changes changes(std::size_t mark) const;
  void merge(const std::vector<Changes>& ways);

  // Goes through all choices of what was asked for since `first_choice`.
  void first_choice();
  bool next_choice();
  bool choosing() const { return choice_.choosing; }
  std::size_t choose(const std::string& what, std::size_t count);
  // Of a command inside another: its choices are its own.
  struct Chosen {
    std::size_t at = 0;
    std::size_t count = 0;
  };
  struct Choice {
    std::map<std::string, Chosen> chosen;
    bool choosing = false;
  };
  Choice pause_choice() { return std::exchange(choice_, {}); }
  void resume_choice(Choice choice) { choice_ = std::move(choice); }

 private:
  void remember(const std::string& name);
  std::vector<std::string> names();

  Budget& budget_;
  // Those that were asked for or changed; most of what a text starts with it never needs.
  mutable std::map<std::string, ShellVariable, std::less<>> variables_;
  std::map<std::string_view, std::string_view> start_;
  std::vector<std::pair<std::string, std::optional<ShellVariable>>> journal_;
  Choice choice_;
};

// The directory, the one before it and those of `pushd` live among the variables, under names no
// variable has.
inline constexpr std::string_view kDirectoryKey = " directory";
inline constexpr std::string_view kOldDirectoryKey = " directory before";
inline constexpr std::string_view kStackKey = " directories";

}  // namespace talaria::guard
