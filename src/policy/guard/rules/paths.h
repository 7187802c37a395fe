// Kinds of paths that rules speak of. They are judged as they are written: links are not followed.
#pragma once

#include <string>
#include <string_view>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

class PathKinds {
 public:
  // Without a home, or with one that is "/", nothing is below it.
  PathKinds(std::string_view home, std::string_view hermes_home);

  // Without "//", "/./", "x/.." and a "/" at its end; "~" for the home directory.
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

 private:
  std::string home_;
  std::string hermes_home_;
};

// A disk or a part of one, by the names of Linux and of other systems.
bool is_block_device(std::string_view path);
bool is_private_key(std::string_view folded);  // a file that holds a secret of the user

}  // namespace talaria::guard
