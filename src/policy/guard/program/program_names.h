// ProgramNames: what the names of a program stand for, where that is visible without following it:
// modules and functions under other names, and the expressions a name is given.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/guard/program/program_code.h"

namespace talaria::guard {

inline constexpr std::size_t kMaxLeft = 48;  // tokens on the left of an assignment
inline constexpr std::size_t kMaxParameters = 512;
inline constexpr std::string_view kDeclarators =
    "const let var my our local final auto static val readonly global do then else";

struct NameBinding {
  std::vector<TokenRange> values;                          // NAME = value
  std::vector<TokenRange> loops;                           // for NAME in value
  std::vector<TokenRange> opened;                          // with value as NAME
  std::vector<std::pair<TokenRange, std::size_t>> parts;   // for x, NAME in value: 1
  std::vector<std::pair<TokenRange, std::size_t>> pieces;  // x, NAME = value: 1
  // What it is given beside what is not known: arguments, and (true) the items of a list
  std::vector<std::pair<TokenRange, bool>> given;
  std::vector<TokenRange> grown;  // NAME += value, NAME.append(value)
  bool otherwise = false;         // a parameter, a part of what is assigned, …
  bool grows = false;             // += or append: more may follow
};

// node:fs/promises is fs.promises.
std::string module_name(std::string_view text);

class ProgramNames {
 public:
  // The code outlives it.
  ProgramNames(const ProgramCode& code, ProgramLanguage language);

  const ProgramCode& code() const { return code_; }
  ProgramLanguage language() const { return language_; }

  // The names that a dotted name may stand for: itself, and where an alias leads.
  std::vector<std::string> resolve(const std::string& dotted) const;
  // Null: the program gives it no value.
  const NameBinding* find(const std::string& name) const;
  bool is_alias(const std::string& name) const { return aliases_.contains(name); }
  // Whether the token begins a statement, and not a value in one.
  bool is_statement(std::size_t at) const { return at < starts_.size() && starts_[at]; }
  // Behind the value that begins at `from`.
  std::size_t statement_end(std::size_t from) const;
  // Whether it is a function of the program itself.
  bool defines(const std::string& name) const { return functions_.contains(name); }
  // One of them, between blanks.
  bool imports(std::string_view modules) const;
  // Whether the name is one of these modules, or what the program gives it comes from one.
  bool comes_from(const std::string& name, std::string_view modules, int depth = 0) const;

 private:
  void find_statements();
  bool starts_statement(std::size_t at) const;
  void add_alias(const std::string& name, const std::string& target);

  static bool is_keyword(std::string_view name);
  bool loads_module(const std::string& name) const;
  bool before_promisify(std::size_t at) const;

  void read_name(std::size_t at);
  void read_mark(std::size_t at);
  void read_import(std::size_t at);
  void read_from_import(std::size_t at);
  void read_script_import(std::size_t at);
  void read_require(std::size_t at);
  void read_destructured(std::size_t open, std::size_t close, const std::string& module);
  void read_assignment(std::size_t at);
  bool read_tuple(std::size_t begin, std::size_t at);
  void read_alias_of(const std::string& name, TokenRange value);
  void read_change(std::size_t at);
  void read_method(std::size_t at);
  void read_loop(std::size_t at);
  void read_opened(std::size_t at);
  void read_parameters(std::size_t at);
  void read_declarations(std::size_t at);
  bool read_perl_loop(std::size_t at, std::size_t name);
  bool read_php_loop(std::size_t open);
  void give_items(std::size_t name, std::size_t dot);
  void note_parameters(const std::string& function, TokenRange range);
  void give_arguments();
  void bind_otherwise(std::size_t begin, std::size_t end);

  const ProgramCode& code_;
  ProgramLanguage language_;
  std::vector<int> depths_;   // of brackets that are no blocks
  std::vector<bool> starts_;  // which tokens begin a statement
  std::multimap<std::string, std::string> aliases_;
  std::map<std::string, NameBinding> bindings_;
  std::vector<std::string> star_modules_;  // from x import *
  std::set<std::string> modules_;
  std::set<std::string> functions_;
  std::map<std::string, std::vector<std::string>> parameters_;  // of those
  mutable std::size_t steps_ = 0;         // tokens that were looked at for the ends of values
  mutable std::size_t origin_steps_ = 0;  // names that were followed to where they come from
};

}  // namespace talaria::guard
