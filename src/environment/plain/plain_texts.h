// What the texts for bash and for sh have in common (plain_bash.h, plain_sh.h): the variables that
// come with a command, and how its directory is gone to.
//
// While they are read the texts use variables that begin with __talaria_; none is left when the
// command begins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "environment/command.h"

namespace talaria::environment::plain {

// The longest command that is an argument of its shell, with the newline that is sent behind it.
std::size_t longest_plain_argument();

// A path of the target as a word of the shell: "~" and "~/x" are the home there.
std::string path_word(std::string_view path);

// `export NAME='value'` lines of all that is carried there. `builtin` stands before the name of
// every builtin: "\\builtin " where there is such a word.
std::string export_lines(const std::vector<std::string>& env, std::string_view builtin);

// Of those that belong to the call: a session must not say otherwise.
std::string call_export_lines(const std::vector<std::string>& env, std::string_view builtin);

// Where a session without a directory of its own begins, as a word of the shell.
std::string first_directory(const CommandSpec& spec);

// Goes to $__talaria_dir, or the nearest directory above it that is there (then the file `notice`
// of $__talaria_run says so), which becomes $__talaria_keep; then to the command's own directory,
// if it has one. `give_up` is run if that one is not there.
std::string directory_lines(const CommandSpec& spec, std::string_view builtin,
                            std::string_view give_up);

}  // namespace talaria::environment::plain
