// Kinds of paths that rules speak of. They are judged as they are written; run/links.h follows
// links.
#pragma once

#include <string>
#include <string_view>

#include "policy/guard/context.h"
#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

class PathKinds {
 public:
  // The person's home counts as much as the one that a session has set. If the first is not known,
  // every home does. The project is where the work is (GuardContext::project), unless that is
  // private by its place.
  explicit PathKinds(const GuardContext& context);

  // Without "//", "/./", "x/.." and a "/" at its end; "~" for a home directory.
  std::string folded(std::string_view path) const;

  bool is_system_config(std::string_view path) const;   // /etc and its like
  bool is_ssh(std::string_view path) const;             // ~/.ssh
  bool is_shell_file(std::string_view path) const;      // ~/.bashrc
  bool is_credentials(std::string_view path) const;     // ~/.netrc
  bool is_hermes_config(std::string_view path) const;   // and what Talaria keeps below it
  bool is_user_sensitive(std::string_view path) const;  // the three above Hermes'
  bool is_sensitive(std::string_view path) const;       // all of those, and disks
  bool is_project_config(std::string_view path) const;  // .env, config.yaml

  bool is_root(const SeenWord& word) const;              // / and /*
  bool is_system_directory(const SeenWord& word) const;  // /etc, /etc/* and /e*
  bool is_home(const SeenWord& word) const;              // ~ and ~/*
  bool is_outside(std::string_view path) const;          // absolute, and not below the home
  bool below_system(std::string_view path) const;        // in /usr, /boot, …

  bool is_temporary(std::string_view path) const;  // in /tmp, with a name of its own
  // What a build or a task makes again: build/, *.o, something in /tmp, ~/.cache/x.
  bool is_disposable(std::string_view path) const;
  // What belongs to nobody but the person: neither in the project, nor temporary.
  bool is_foreign(std::string_view path) const;
  // Whether an answer so far may be another one in another project.
  bool asked_for_project() const { return asked_for_project_; }
  bool holds_project(std::string_view path) const;  // the project itself, or a directory above it
  bool is_secret(std::string_view path) const;      // keys, passwords, tokens: not even to be shown
  // Those of the person, not the example values of the project; a pattern that may stand for one.
  bool is_persons_secret(const SeenWord& path) const;
  // What a shell, a session or a tool of the person reads or runs by itself, and keys.
  bool is_start_file(std::string_view path) const;
  bool is_private(std::string_view path) const;   // those, .env files, histories, the whole home
  bool is_git_hook(std::string_view path) const;  // what git runs, in the project's own .git
  // By its place, whatever is in it: settings, keys and programs of the person, the system.
  bool is_private_place(std::string_view folded) const;

 private:
  std::string home_;          // of the person; empty: not known
  std::string session_home_;  // what the session has set instead; empty: nothing
  std::string real_home_;     // of the person, without links; empty: the same
  std::string hermes_home_;
  std::string_view project_root() const;  // what belongs to one project

  mutable bool asked_for_project_ = false;

  std::string project_;     // folded; "/": there is none
  std::string repository_;  // that the project is in, folded; empty: not known
};

// A disk or a part of one, by the names of Linux and of other systems.
bool is_block_device(std::string_view path);
// .env.example and its like: a form to fill in.
bool is_sample(std::string_view path);

}  // namespace talaria::guard
