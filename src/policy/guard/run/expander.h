// Expander: the words bash would make of a word: braces, tilde, variables, substitutions, splitting
// and the removal of quotes, as far as the text tells.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/run/output.h"
#include "policy/guard/run/seen_command.h"
#include "policy/guard/run/variables.h"
#include "shell/state.h"

namespace talaria::guard {

// The tool that a variable such as CC usually names; "": it is no such variable.
std::string_view customary_tool(std::string_view variable);

struct WordFields;

class Expander {
 public:
  // What an expansion leads to.
  class Outside {
   public:
    virtual ~Outside() = default;
    virtual Printed output(const ShellList& list) = 0;
    virtual void process(const PartDetail& detail) = 0;  // <(…) was met
    virtual void evaluate(const std::string& text) = 0;  // an arithmetic text, when expanded
    virtual void prompt(const std::string& text) = 0;    // ${name@P}
  };

  Expander(Variables& variables, Budget& budget, std::string home,
           const shell::NameMap& session_variables, Outside& outside);

  // Appends what the word becomes: no word, one or many.
  void expand(const ShellWord& word, std::vector<SeenWord>& words);
  // Without splitting, as in an assignment or behind a redirection.
  SeenWord expand_whole(const ShellWord& word);

  // What a variable is now.
  Value value_of(const std::string& name);

  // Variables whose values the text takes from outside.
  const std::set<std::string, std::less<>>& outside_names() const { return outside_names_; }
  // The answer depends on what the session has set it to.
  void note_outside(std::string_view name) { outside_names_.emplace(name); }
  // Whether a word became what it is by where the text starts.
  bool uses_start() const { return uses_start_; }

 private:
  using Fields = WordFields;

  bool expand_simple(const ShellWord& word, std::vector<SeenWord>& words) const;
  void expand_parts(std::span<const WordPart* const> parts, Fields& fields);
  void expand_text(const WordPart& part, bool first, Fields& fields);
  std::string expand_tilde(std::string_view text);
  void expand_output(const WordPart& part, bool whole, Fields& fields);
  void expand_arithmetic(const PartDetail& detail, Fields& fields);
  void expand_variable(const WordPart& part, Fields& fields);
  void expand_detail(const WordPart& part, const PartDetail& detail, Fields& fields);
  bool expand_default(const WordPart& part, const PartDetail& detail, const Value& value,
                      Fields& fields);
  void add_value(const ShellValue& value, bool quoted, bool all, bool starred, Fields& fields);
  Value outside_value(const std::string& name, const Value& otherwise);
  Value directory(std::string_view key, const Value& otherwise);
  // The same name, if it says that its value is a secret and the text has not made that itself.
  std::string_view secret_of(std::string_view name) const;
  Value argument(const std::string& number);
  Value element(const Value& value, const std::string& index);
  std::string separators();

  Variables& variables_;
  Budget& budget_;
  std::string home_;
  const shell::NameMap& session_variables_;
  Outside& outside_;
  std::set<std::string, std::less<>> outside_names_;
  bool uses_start_ = false;
};

}  // namespace talaria::guard
