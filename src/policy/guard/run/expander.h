// Expander: the words bash would make of a word: braces, tilde, variables, substitutions, splitting
// and the removal of quotes, as far as the text tells.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/run/seen_command.h"
#include "policy/guard/run/variables.h"

namespace talaria {

class Expander {
 public:
  struct Outside {
    // What a substitution prints; nothing: that is not known.
    std::function<std::optional<std::string>(const ShellList&)> output;
    std::function<void(const PartDetail&)> process;        // <(…) was met
    std::function<void(const std::string& name)> changed;  // by ${name:=…} or arithmetic
  };

  Expander(Variables& variables, std::string home, Outside outside);

  // Appends what the word becomes: no word, one or many.
  void expand(const ShellWord& word, std::vector<SeenWord>& words);
  // Without splitting, as in an assignment or behind a redirection.
  SeenWord expand_whole(const ShellWord& word);

  void set_arguments(std::vector<SeenWord> arguments) { arguments_ = std::move(arguments); }
  const std::vector<SeenWord>& arguments() const { return arguments_; }

  const std::string& home() const { return home_; }

 private:
  struct Fields;

  bool expand_simple(const ShellWord& word, std::vector<SeenWord>& words) const;
  void expand_parts(std::span<const WordPart* const> parts, Fields& fields);
  void expand_text(const WordPart& part, bool first, Fields& fields) const;
  std::string with_home(std::string_view text) const;
  void expand_variable(const WordPart& part, Fields& fields);
  void expand_detail(const WordPart& part, const PartDetail& detail, Fields& fields);
  void add_value(const ShellValue& value, bool quoted, bool all, bool starred, Fields& fields);
  std::optional<ShellValue> value_of(const std::string& name);
  std::string separators();

  Variables& variables_;
  std::string home_;
  Outside outside_;
  std::vector<SeenWord> arguments_;
};

}  // namespace talaria
