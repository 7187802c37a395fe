#include "policy/guard/instructions/instructions.h"

#include <algorithm>
#include <utility>

#include "json/json_text.h"
#include "policy/guard/instructions/makefile.h"
#include "policy/guard/program/program.h"
#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

// The first operand of the command and those behind it.
std::vector<std::string> operands_of(const SeenCommand& command) {
  std::vector<std::string> all;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (among(command.word(i), "-f -C -j -I -o -W --file --directory")) {
      ++i;
    } else if (!command.word(i).starts_with('-')) {
      all.push_back(command.words[i].text);
    }
  }
  return all;
}

template <class Use>
void for_each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    use(line);
  }
}

void add_text(Instructions& found, std::string_view text) {
  if (!trim(text).empty()) found.commands.push_back(run_text({std::string(text)}));
}

// Which scripts of a package.json the words ask for.
bool is_asked(std::string_view script, const std::vector<std::string>& operands) {
  for (const std::string_view start : {"pre", "post"}) {
    if (script.starts_with(start) && script.size() > start.size() &&
        is_asked(script.substr(start.size()), operands)) {
      return true;
    }
  }
  constexpr std::string_view kAlways = "install prepare prepack publish dependencies";
  const std::string_view verb = operands.empty() ? "install" : std::string_view(operands.front());
  if (among(verb, "install i ci add update up upgrade rebuild link pack publish version") &&
      among(script, kAlways)) {
    return true;
  }
  return std::ranges::any_of(operands, [&](std::string_view word) {
    return word == script || word.contains(kUnknownPiece) || (word == "t" && script == "test") ||
           (among(word, "restart") && among(script, "stop start restart"));
  });
}

void read_package(std::string_view text, const SeenCommand& by, Instructions& found) {
  const Result<json::object> whole = parse_object(with_unknown_as("\\u0000", text), "package.json");
  if (!whole) {
    found.unknown = true;
    return;
  }
  const json::value* const scripts = whole->if_contains("scripts");
  if (scripts == nullptr || !scripts->is_object()) return;
  const std::vector<std::string> operands = operands_of(by);
  for (const auto& [name, script] : scripts->as_object()) {
    if (!script.is_string() || !is_asked(name, operands)) continue;
    add_text(found, std::string_view(script.as_string().data(), script.as_string().size()));
  }
}

// * * * * * command; @reboot command
void read_schedule(std::string_view text, Instructions& found) {
  for_each_line(text, [&](std::string_view line) {
    line = trim(line);
    if (line.empty() || line.front() == '#') return;
    int fields = line.front() == '@' ? 1 : 5;
    for (; fields > 0 && !line.empty(); --fields) {
      line.remove_prefix(std::min(line.find_first_of(" \t"), line.size()));
      line = trim(line);
    }
    add_text(found, line);
  });
}

// ProxyCommand x, Match exec "x"
void read_ssh(std::string_view text, Instructions& found) {
  for_each_line(text, [&](std::string_view line) {
    line = trim(line);
    const std::string lower = lower_case(line);
    const std::size_t exec = lower.find("exec ");
    if (lower.starts_with("match") && exec != std::string::npos) {
      std::string command(trim(line.substr(exec + 5)));
      std::erase(command, '"');
      add_text(found, command);
      return;
    }
    for (const std::string_view name : {"proxycommand", "localcommand", "knownhostscommand"}) {
      if (lower.starts_with(name) && line.size() > name.size()) {
        add_text(found, trim(line.substr(name.size() + 1)));
      }
    }
  });
}

// [core] / pager = x, as `git -c core.pager=x`
void read_git(std::string_view text, Instructions& found) {
  std::string section;
  for_each_line(text, [&](std::string_view line) {
    line = trim(line);
    if (line.starts_with('[')) {
      section = std::string(line.substr(1, line.find(']') - 1));
      std::erase(section, '"');
      std::ranges::replace(section, ' ', '.');
      return;
    }
    const std::size_t equals = line.find('=');
    if (section.empty() || equals == std::string_view::npos || line.front() == '#') return;
    std::string value(trim(line.substr(equals + 1)));
    if (value.size() > 1 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    const std::string setting = section + "." + std::string(trim(line.substr(0, equals)));
    found.commands.push_back({.words = {{"git"}, {"-c"}, {setting + "=" + value}, {"status"}}});
  });
}

// ExecStart=x, command = x
void read_settings(std::string_view text, Instructions& found) {
  for_each_line(text, [&](std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return;
    const std::string name = lower_case(trim(line.substr(0, equals)));
    std::string_view value = trim(line.substr(equals + 1));
    if (!name.starts_with("exec") && !among(name, "command cmd entry")) return;
    while (!value.empty() && std::string_view("-@:+!").contains(value.front())) {
      value.remove_prefix(1);
    }
    if (value.size() > 1 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    add_text(found, value);
  });
}

// shell: x, - cmd: x, run: | and the lines below it
void read_tasks(std::string_view text, Instructions& found) {
  std::string block;
  std::size_t outer = std::string_view::npos;  // how far in the key of a block stands
  for_each_line(text, [&](std::string_view line) {
    const std::size_t indent = std::min(line.find_first_not_of(" -\t"), line.size());
    if (outer != std::string_view::npos) {
      if (trim(line).empty() || indent > outer) {
        const std::string_view item = trim(line);
        block.append(item.substr(item.starts_with("- ") ? 2 : 0)).append("\n");
        return;
      }
      add_text(found, std::exchange(block, {}));
      outer = std::string_view::npos;
    }
    const bool item = trim(line).starts_with("- ");
    line = trim(line.substr(indent));
    const std::size_t colon = line.find(':');
    std::string_view key = line.substr(0, colon);
    key.remove_prefix(std::min(key.find_last_of('.') + 1, key.size()));
    constexpr std::string_view kKeys = "shell command raw cmd run script entry exec cmds commands";
    if (colon == std::string_view::npos || !among(key, kKeys)) {
      if (item && colon == std::string_view::npos) add_text(found, line);
      if (line.starts_with("privileged: true") || line.starts_with("/:/") ||
          line.contains("docker.sock")) {
        found.unknown = true;
      }
      return;
    }
    std::string_view value = trim(line.substr(colon + 1));
    if (value.empty() || value.front() == '|' || value.front() == '>') {
      outer = indent;
      return;
    }
    if (value.size() > 1 && (value.front() == '"' || value.front() == '\'') &&
        value.back() == value.front()) {
      value = value.substr(1, value.size() - 2);
    }
    add_text(found, value);
  });
  add_text(found, block);
}

// execute_process(COMMAND rm -rf x), add_custom_command(… COMMAND x …)
void read_cmake(std::string_view text, Instructions& found) {
  for (std::size_t at = 0; (at = text.find("COMMAND", at)) != std::string_view::npos;) {
    at += 7;
    const std::size_t end = std::min(text.find_first_of(")\n", at), text.size());
    std::string command(text.substr(at, end - at));
    for (const std::string_view word : {" WORKING_DIRECTORY", " OUTPUT_VARIABLE", " COMMENT",
                                        " DEPENDS", " RESULT_VARIABLE", " VERBATIM", " ERROR_"}) {
      command.resize(std::min(command.find(word), command.size()));
    }
    for (const auto& [variable, tool] : {std::pair{"${CMAKE_COMMAND}", "cmake"},
                                         {"${PYTHON_EXECUTABLE}", "python3"},
                                         {"${Python3_EXECUTABLE}", "python3"},
                                         {"${CMAKE_MAKE_PROGRAM}", "make"}}) {
      const std::size_t found_at = command.find(variable);
      if (found_at == std::string::npos) continue;
      command.replace(found_at, std::string_view(variable).size(), tool);
    }
    const bool keyword = at < text.size() && is_name_char(text[at]);  // COMMANDS
    if (!keyword) add_text(found, command);
    at = end;
  }
}

// Of Tcl and expect: a line says what it does.
void read_tcl(std::string_view text, Instructions& found) {
  for_each_line(text, [&](std::string_view line) {
    line = trim(line);
    for (const std::string_view verb : {"exec ", "spawn ", "system "}) {
      for (std::size_t at = 0; (at = line.find(verb, at)) != std::string_view::npos; ++at) {
        if (at > 0 && is_name_char(line[at - 1])) continue;
        std::string_view command = line.substr(at + verb.size());
        while (command.ends_with(']') || command.ends_with('}')) command.remove_suffix(1);
        add_text(found, command);
      }
    }
    if (line.starts_with("file delete"))
      found.commands.push_back(run_text({"rm -rf " + std::string(line.substr(11))}));
    if (line.starts_with("eval ")) found.unknown = true;
  });
}

InnerCommand with_input(std::string_view program, std::string_view text) {
  InnerCommand run{.words = {{std::string(program)}}};
  run.input = std::make_shared<const std::string>(text);
  return run;
}

// source FILE, \i FILE, .read FILE
void add_sourced(std::string_view text, std::string_view program, Instructions& found) {
  for_each_line(text, [&](std::string_view line) {
    line = trim(line);
    const std::string_view verb = line.substr(0, line.find_first_of(" \t"));
    if (line.size() == verb.size() || !among(verb, "source so \\i \\ir .read load")) return;
    std::string file(trim(line.substr(verb.size())));
    std::erase(file, ';');
    found.commands.push_back({.words = {{std::string(program)}, {"source " + file}}});
  });
}

}  // namespace

Instructions read_instructions(Language language, std::string_view text, const SeenCommand& by) {
  Instructions found;
  switch (language) {
    case Language::shell:
      add_text(found, text);
      break;
    case Language::make:
      add_text(found, makefile_script(text, operands_of(by), by.program == "just"));
      break;
    case Language::package:
      read_package(text, by, found);
      break;
    case Language::program:
      return read_program(text, by.program);
    case Language::tcl:
      read_tcl(text, found);
      break;
    case Language::sed:
    case Language::awk:
      found.commands.push_back({.words = {{by.program}, {std::string(text)}}});
      break;
    case Language::input:
      found.commands.push_back(with_input(by.program, text));
      add_sourced(text, by.program, found);
      break;
    case Language::schedule:
      read_schedule(text, found);
      break;
    case Language::ssh:
      read_ssh(text, found);
      break;
    case Language::tmux:
      for_each_line(text, [&](std::string_view line) {
        if (!trim(line).empty()) add_text(found, "tmux " + std::string(line));
      });
      break;
    case Language::git:
      read_git(text, found);
      break;
    case Language::settings:
      read_settings(text, found);
      break;
    case Language::tasks:
      read_tasks(text, found);
      break;
    case Language::cmake:
      read_cmake(text, found);
      break;
    case Language::processes:
      for_each_line(text, [&](std::string_view line) {
        add_text(found, line.substr(std::min(line.find(':') + 1, line.size())));
      });
      break;
  }
  return found;
}

}  // namespace talaria::guard
