// What the guard knows of a start beside the text of the command.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policy/guard/judgement.h"
#include "shell/definitions.h"

namespace talaria::guard {

// A rule of the configuration. What it does not say counts for everything.
struct UserRule {
  Answer answer = Answer::ask;
  std::vector<std::string> argv;  // the first words of a command; its program also by its path
  std::string path;               // a pattern one of its operands or redirections has to match
  std::string target;             // the name of a target
};

// What a command gets as its standard input.
struct StartInput {
  enum class Kind {
    none,  // nothing
    text,  // all of it is known
    open,  // it is written while the command runs: nobody can judge it now
  };
  Kind kind = Kind::none;
  std::string text;
};

// The symbolic links that are at the target when a command starts.
class LinkSource {
 public:
  virtual ~LinkSource() = default;
  // Where the link leads, as it says; nothing: there is no link at that path.
  virtual std::optional<std::string> target_of(const std::string& path) const = 0;
  // The names of all links in a directory.
  virtual std::vector<std::string> names_in(const std::string& directory) const = 0;
};

struct GuardContext {
  std::string home;         // of the person, at the target; empty: not known
  std::string real_home;    // the same without links; empty: the same
  std::string hermes_home;  // where Hermes has its configuration; empty: ~/.hermes
  std::string target;
  shell::SessionDefinitions session;  // what the session has defined
  bool sudo_password_known = false;   // SUDO_PASSWORD is set: `sudo -S` is how it is given
  std::vector<UserRule> rules;
  bool hermes_rules = false;  // judge by exactly the rules that Hermes has
  // Where the command starts, from the root, without links; empty: not known.
  std::string directory;
  // Where the work is, if the command starts elsewhere; empty: it starts there.
  std::string project;
  // The directory that has the repository of the project; empty: there is none, or it is not known.
  std::string repository;
  StartInput input;
  // Set for this start alone, by the caller: name and value.
  std::vector<std::pair<std::string, std::string>> variables;

  const LinkSource* links = nullptr;  // null: only links that the text makes are known

  // What `~` stands for when the text starts: a session may have set HOME.
  std::string home_at_start() const {
    const auto set = session.variables.find("HOME");
    if (set != session.variables.end() && set->second.starts_with('/')) return set->second;
    return home.empty() ? "/home/user" : home;
  }
};

}  // namespace talaria::guard
