#include "policy/guard/sequences.h"

#include <algorithm>
#include <set>

#include "policy/guard/rules/arguments.h"
#include "policy/guard/run/inner.h"

namespace talaria::guard {
namespace {

// +x, u=rwx, 755
bool adds_execution(std::string_view mode) {
  const std::size_t sign = mode.find_first_of("+=");
  if (sign != std::string_view::npos) return mode.substr(sign).contains('x');
  const bool number = mode.size() >= 3 && mode.find_first_not_of("01234567") == mode.npos;
  return number && mode.substr(mode.size() - 3).find_first_of("1357") != mode.npos;
}

// The files it makes executable, by their last names.
void add_executables(const SeenCommand& command, std::set<std::string>& files) {
  bool executes = false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word.starts_with('-') && !word.contains('x')) continue;
    if (!executes && adds_execution(word)) {
      executes = true;
    } else if (executes && !word.starts_with('-')) {
      files.insert(std::string(base_name(word)));
    }
  }
}

std::string without_dot(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  return std::string(path);
}

// The file a command downloads to.
void add_downloads(const SeenCommand& command, std::set<std::string>& files) {
  if (!among(command.program, "curl wget wget2 aria2c axel fetch curlie xh http https")) return;
  const std::string_view to = command.program.starts_with("wget") ? "-O" : "-o";
  bool named = false;
  for (std::size_t i = 1; i + 1 < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    const bool short_form =
        word.starts_with('-') && !word.starts_with("--") && word.ends_with(to.back());
    if (short_form || among(word, "--output --output-document")) {
      files.insert(without_dot(command.word(i + 1)));
      named = true;
    }
  }
  for (const SeenRedirect& redirect : command.redirects) {
    if (redirect.writes() && redirect.descriptor == 1)
      files.insert(without_dot(redirect.target.text));
  }
  if (named) return;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (command.word(i).contains("://")) files.insert(std::string(base_name(command.word(i))));
  }
}

bool runs_file(const SeenCommand& command, const std::set<std::string>& files) {
  const auto is_one = [&](std::string_view path) {
    return !path.empty() && files.contains(without_dot(path));
  };
  if (command.words.empty()) return false;
  const std::string_view name = command.word(0);
  if (name.contains('/') && is_one(name)) return true;
  const bool runs = is_shell(command.program) || is_interpreter(command.program) ||
                    among(command.program, "source . dpkg rpm installer");
  return runs && std::any_of(command.words.begin() + 1, command.words.end(),
                             [&](const SeenWord& word) { return is_one(word.text); });
}

bool names_secret(const SeenCommand& command, const PathKinds& paths) {
  return std::ranges::any_of(
             command.words,
             [&](const SeenWord& word) { return is_private_key(paths.folded(word.text)); }) ||
         std::ranges::any_of(command.redirects, [&](const SeenRedirect& redirect) {
           return redirect.kind == ShellRedirect::Kind::input &&
                  is_private_key(paths.folded(redirect.target.text));
         });
}

bool sends(const SeenCommand& command) {
  return among(command.program,
               "curl wget nc ncat netcat socat ssh telnet ftp http https mail sendmail") &&
         (command.input.kind == SeenInput::Kind::pipe || !command.substituted.empty());
}

}  // namespace

std::vector<Concern> judge_sequences(const std::deque<SeenCommand>& commands,
                                     const PathKinds& paths) {
  std::vector<Concern> concerns;
  const auto say = [&](std::string key, const SeenCommand& command) {
    concerns.push_back({RuleClass::dangerous, key, key, shown_words(command)});
  };
  bool executable = false;
  bool secret = false;
  std::set<std::string> files;
  std::set<std::string> executables;
  for (const SeenCommand& command : commands) {
    if (command.elsewhere) continue;
    const bool made = command.word(0).contains('/') &&
                      executables.contains(std::string(base_name(command.word(0))));
    if ((executable && command.word(0).starts_with("./")) || made) {
      say("chmod +x followed by immediate execution", command);
    }
    if (secret && sends(command)) say("secret file sent over the network", command);
    if (!files.empty() && runs_file(command, files)) say("run of a downloaded file", command);
    executable = executable || (command.program == "chmod" &&
                                std::ranges::any_of(command.words, [](const SeenWord& word) {
                                  return word.text.contains('+') && adds_execution(word.text);
                                }));
    if (command.program == "chmod") add_executables(command, executables);
    secret = secret || names_secret(command, paths);
    add_downloads(command, files);
  }
  return concerns;
}

}  // namespace talaria::guard
