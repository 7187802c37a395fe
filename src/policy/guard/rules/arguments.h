// Arguments: the words of a command as a rule sees them: options, operands, and what they name.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "policy/guard/rules/paths.h"
#include "policy/guard/run/seen_command.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {

class Arguments {
 public:
  Arguments(const SeenCommand& command, const PathKinds& paths);

  const SeenCommand& command;
  const PathKinds& paths;

  // Words that are no options, nor values of options that come before a sub-command.
  const std::vector<const SeenWord*>& operands() const { return operands_; }
  // Alternatives between |: "-f|--force". A long one that ends in * stands for what begins so, and
  // may be shortened by whoever types it.
  bool has(std::string_view options) const;
  bool has_each(std::string_view options) const;  // between blanks
  bool begins(std::string_view verbs) const;      // as Rule::verbs
  std::string_view verb(std::size_t at) const;

  // From the root, where it is known in which directory the command runs.
  SeenWord resolved(const SeenWord& word) const;
  // Whether a word was resolved by where the whole text starts.
  bool uses_start() const { return uses_start_; }

  using Test = bool (PathKinds::*)(std::string_view path) const;
  bool any_operand(Test test) const;
  bool last_operand(Test test) const;
  bool any_operand(const std::function<bool(const SeenWord&)>& test) const;
  bool any_word(const std::function<bool(std::string_view)>& test) const;
  bool writes_to(Test test) const;
  bool writes_to(const std::function<bool(std::string_view path)>& test) const;  // redirections

 private:
  std::vector<const SeenWord*> operands_;
  mutable bool uses_start_ = false;
};

// A container has files of its own; another machine is somebody's.
bool is_in_container(const SeenCommand& command);

// mkfs.ext4 -F /tmp/disk.img: the last operand is a temporary file or a build product, and none is
// a device.
bool formats_temporary_file(const Arguments& arguments);

inline bool has_operand(const Arguments& arguments) { return !arguments.operands().empty(); }

}  // namespace talaria::guard
