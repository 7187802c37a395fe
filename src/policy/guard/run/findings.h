// Findings: what is known of a text so far: every command it would start, what it does not tell,
// and which names a session may have a meaning for.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/judgement.h"
#include "policy/guard/run/budget.h"
#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

using Names = std::set<std::string, std::less<>>;

class Findings {
 public:
  Budget& budget() { return budget_; }

  void add(SeenCommand command) { commands_.push_back(std::move(command)); }
  std::deque<SeenCommand>& commands() { return commands_; }
  std::size_t count() const { return commands_.size(); }
  void drop_from(std::size_t first) {
    commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(first), commands_.end());
  }
  // The programs among those from `first` on.
  std::vector<std::string> programs_from(std::size_t first) const;

  // Another command is followed. False: there are too many.
  bool follow();
  bool is_full() const { return followed_ > kMaxFollowed || budget_.spent(); }

  // Each key once.
  void say(Concern concern, const SeenCommand* about = nullptr);
  void say_unclear(std::string key, std::string description, const SeenCommand* about = nullptr);
  void say_too_much(std::string description, const SeenCommand* about = nullptr);
  void say_too_deep(std::string description);
  std::vector<Concern>& concerns() { return concerns_; }

  // A session may have a function or an alias of that name.
  void note_name(std::string_view name);
  const Names& names() const { return names_; }

  // It depends on where the text starts.
  void note_start() { uses_start_ = true; }
  bool uses_start() const { return uses_start_; }

 private:
  static constexpr int kMaxFollowed = 20'000;

  Budget budget_;
  std::deque<SeenCommand> commands_;
  int followed_ = 0;
  std::vector<Concern> concerns_;
  Names names_;
  bool uses_start_ = false;
};

}  // namespace talaria::guard
