// ShellState: what a shell knows at one point of its text: variables, functions, aliases,
// arguments, options and its directory. Builtins change it here; nothing in it runs a command.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/context.h"
#include "policy/guard/run/call_graph.h"
#include "policy/guard/run/findings.h"
#include "policy/guard/run/links.h"
#include "policy/guard/run/situation.h"
#include "policy/guard/run/variables.h"
#include "policy/guard/syntax/script_reader.h"

namespace talaria::guard {

// Where something runs.
struct Place {
  std::string directory;    // from the root; empty: not known
  bool from_start = false;  // it is, or is relative to, where the whole text starts
  bool lost = false;        // a `cd` led there, and nobody knows where that is
};

class ShellState {
 public:
  ShellState(const GuardContext& context, Findings& findings, Situation& now);

  Variables& variables() { return variables_; }

  // Reads a text and keeps it: functions point into it.
  const Script& read(std::string_view text);

  Place place();
  static ShellValue place_of(const SeenCommand& seen);  // as a value of the directory
  int moves() const { return moves_; }                  // changes of the directory
  void change_directory(const SeenCommand& seen);
  Links& links() { return links_; }

  // The functions of a command's name, of this text or of the session.
  struct Callees {
    std::vector<const ShellCommand*> functions;
    bool program = true;  // or it is no function
  };
  Callees functions_of(const SeenCommand& seen);
  void define(const ShellCommand& function);
  bool has_fork_bomb() const { return calls_between_.has_fork_bomb(); }

  // What a bare word is an alias for.
  struct Aliases {
    std::vector<std::string> texts;
    bool plain = true;  // or it is none
  };
  Aliases aliases_of(const std::string& name) const;
  void set_alias(std::string_view name, const SeenWord& text);
  void change_aliases(const SeenCommand& seen);

  // A call of a function. False: the same happens again, so that it needs no walk.
  bool enter(const ShellCommand& function, std::vector<SeenWord> arguments);
  void leave();

  // $1, $2, …; where they are not known, one word that may be any number of them.
  std::vector<SeenWord> arguments();
  void set_arguments(std::vector<SeenWord> arguments);
  void shift(const SeenCommand& seen);
  void set_options(const SeenCommand& seen);        // set
  void set_shell_options(const SeenCommand& seen);  // shopt

  // declare and its like: the names that are exported without a value.
  std::vector<std::string> declare(const SeenCommand& seen);
  void declare_name(const SeenCommand& seen, const std::string& name);
  void unset(const SeenCommand& seen);
  // read, mapfile, getopts: the names they set.
  std::vector<std::string> forget_read(const SeenCommand& seen);

 private:
  struct Local {
    ShellVariable before;
    bool certain = false;
  };
  struct Call {
    const ShellCommand* function = nullptr;
    std::size_t mark = 0;
    std::vector<SeenWord> arguments;
    bool widened = false;  // walked for whatever its arguments and variables may be
    ShellVariable outer;   // the arguments outside it
    std::map<std::string, Local> locals;
  };

  const ShellCommand* session_function(const std::string& name, const SeenCommand& seen);
  bool may_search(const SeenCommand& seen, std::string_view to);
  SeenWord home();
  std::vector<Value> places_before();
  void change_stack(const SeenCommand& seen, const ShellValue& here, bool pushes);
  bool widen(const ShellCommand& function, std::vector<SeenWord>& arguments, bool& widened);
  void make_local(const std::string& name);
  void say_strange(const SeenCommand& seen);
  void unset_name(const std::string& name, bool functions, bool variables);

  const GuardContext& context_;
  Findings& findings_;
  Situation& now_;
  Variables variables_;
  bool no_aliases_ = false;  // some command may have removed them all
  CallGraph calls_between_;
  std::vector<std::unique_ptr<Script>> scripts_;
  std::map<std::string, const ShellCommand*> session_functions_;  // those that were read
  std::vector<Call> calls_;
  int moves_ = 0;
  Links links_;
};

// Functions, aliases and the directory live among the variables, under names no variable has. The
// directory has a second item where it is relative to the one the text starts in.
inline std::string function_key(std::string_view name) { return std::string(name) + "()"; }
inline std::string alias_key(std::string_view name) { return "alias " + std::string(name); }

// Builtins that are given NAME=value.
inline constexpr std::string_view kDeclaring = "export declare typeset local readonly";

// Whether one of the options of a builtin, which come first, has one of the letters.
bool has_builtin_option(const SeenCommand& seen, std::string_view letters);

}  // namespace talaria::guard
