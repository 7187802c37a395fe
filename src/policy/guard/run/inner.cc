#include "policy/guard/run/inner.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "policy/guard/run/inner_table.h"
#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria {
namespace {

using Words = std::vector<SeenWord>;

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && is_name_start(word.front()) &&
         std::ranges::all_of(word.substr(0, equals), is_name_char);
}

// The first word from `at` on that is no option (or what an option takes); behind "--" if there is.
std::size_t behind_options(const SeenCommand& command, std::size_t at,
                           std::string_view short_values, std::string_view long_values,
                           bool assignments = false) {
  for (; at < command.words.size(); ++at) {
    const std::string_view word = command.word(at);
    if (word == "--") return at + 1;
    if (word.starts_with("--")) {
      if (!word.contains('=') && among(word.substr(2), long_values)) ++at;
    } else if (word.size() > 1 && word.front() == '-') {
      const std::size_t letter = word.find_first_of(short_values, 1);
      if (letter == word.size() - 1 && letter != std::string_view::npos) ++at;
    } else if (!(assignments && is_assignment(word))) {
      return at;
    }
  }
  return at;
}

Words words_from(const SeenCommand& command, std::size_t at) {
  if (at >= command.words.size()) return {};
  return {command.words.begin() + static_cast<std::ptrdiff_t>(at), command.words.end()};
}

SeenWord joined(const Words& words) {
  SeenWord text;
  for (const SeenWord& word : words) {
    if (!text.text.empty()) text.text += ' ';
    text.text += word.text;
  }
  return text;
}

InnerCommand run_words(Words words, bool elsewhere = false) {
  return {.words = std::move(words), .elsewhere = elsewhere};
}

InnerCommand run_text(SeenWord text, bool elsewhere = false) {
  return {.is_text = true, .text = std::move(text), .elsewhere = elsewhere};
}

// The value of -X or --long in a command, wherever it stands.
std::optional<SeenWord> option_value(const SeenCommand& command, char letter,
                                     std::string_view long_name) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word.starts_with("--")) {
      if (word.substr(2) == long_name && i + 1 < command.words.size()) return command.words[i + 1];
      if (word.substr(2).starts_with(std::string(long_name) + "=")) {
        return SeenWord{std::string(word.substr(3 + long_name.size()))};
      }
    } else if (word.size() > 1 && word.front() == '-') {
      const std::size_t at = word.find(letter, 1);
      if (at == std::string_view::npos) continue;
      if (at + 1 < word.size()) return SeenWord{std::string(word.substr(at + 1))};
      if (i + 1 < command.words.size()) return command.words[i + 1];
    }
  }
  return std::nullopt;
}

bool only_looks(const SeenCommand& command, std::size_t end, std::string_view letters) {
  for (std::size_t i = 1; i < end && i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word.starts_with("-") && !word.starts_with("--") &&
        word.find_first_of(letters, 1) != std::string_view::npos) {
      return true;
    }
    if (word == "--list" || word == "--validate" || word == "--edit" || word == "--version") {
      return true;
    }
  }
  return false;
}

void peel_wrapper(const SeenCommand& command, const Wrapper& wrapper,
                  std::vector<InnerCommand>& inner) {
  std::size_t at =
      behind_options(command, 1, wrapper.short_values, wrapper.long_values, wrapper.assignments);
  // -- may be followed by assignments, too
  while (wrapper.assignments && at < command.words.size() && is_assignment(command.word(at))) ++at;
  if (wrapper.name == "time" && command.word(1) == "-p") at = 2;
  if (!wrapper.only_looks.empty() && only_looks(command, at, wrapper.only_looks)) return;
  at += static_cast<std::size_t>(wrapper.operands);
  if (at < command.words.size()) inner.push_back(run_words(words_from(command, at)));
}

void peel_env(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    std::string text;
    if (word == "-S" || word == "--split-string") {
      text = command.word(i + 1);
      ++i;
    } else if (word.starts_with("-S")) {
      text = word.substr(2);
    } else if (word.starts_with("--split-string=")) {
      text = word.substr(15);
    } else {
      if (!word.starts_with("-")) break;
      continue;
    }
    for (const SeenWord& more : words_from(command, i + 1)) text += " " + more.text;
    inner.push_back(run_text({"env " + text}));
    return;
  }
}

void peel_xargs(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::size_t at = behind_options(
      command, 1, "adEILnPs", "arg-file delimiter max-lines max-args max-procs max-chars replace");
  Words words = words_from(command, at);
  if (words.empty()) return;
  std::optional<SeenWord> mark = option_value(command, 'I', "replace");
  Words given;
  if (command.input.text && command.input.text->size() < 4096) {
    std::string item;
    for (const char c : *command.input.text + "\n") {
      if (c == ' ' || c == '\t' || c == '\n') {
        if (!item.empty()) given.push_back({std::exchange(item, {})});
      } else if (c != '\'' && c != '"') {
        item += c;
      }
    }
  } else {
    given.push_back({std::string(1, kUnknownPiece)});
  }
  InnerCommand run = run_words(std::move(words));
  run.reads_input = false;
  if (mark) {
    const std::string instead = given.empty() ? "" : given.front().text;
    for (SeenWord& word : run.words) {
      for (std::size_t from = 0;
           !mark->text.empty() && (from = word.text.find(mark->text, from)) != std::string::npos;
           from += instead.size()) {
        word.text.replace(from, mark->text.size(), instead);
      }
    }
  } else {
    std::ranges::copy(given, std::back_inserter(run.words));
  }
  inner.push_back(std::move(run));
}

void peel_find(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const bool has_start = command.words.size() > 1 && !command.word(1).starts_with("-") &&
                         command.word(1) != "(" && command.word(1) != "!";
  const std::string start = has_start ? command.words[1].text : ".";
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (!among(command.word(i), "-exec -execdir -ok -okdir")) continue;
    Words words;
    for (++i; i < command.words.size(); ++i) {
      if (command.word(i) == ";" || (command.word(i) == "+" && command.word(i - 1) == "{}")) break;
      words.push_back(command.words[i]);
    }
    for (SeenWord& word : words) {
      if (const std::size_t at = word.text.find("{}"); at != std::string::npos) {
        word.text.replace(at, 2, start + "/" + kUnknownPiece);
      }
    }
    InnerCommand run = run_words(std::move(words));
    run.reads_input = false;
    inner.push_back(std::move(run));
  }
}

void peel_parallel(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::size_t at =
      behind_options(command, 1, "jPaINnLsSCd",
                     "jobs arg-file max-args delay timeout retries joblog tmpdir results");
  Words words;
  std::size_t i = at;
  for (; i < command.words.size() && !command.word(i).starts_with(":::"); ++i) {
    words.push_back(command.words[i]);
  }
  const Words given = words_from(command, i + 1);
  if (words.empty()) {
    for (const SeenWord& word : given) inner.push_back(run_text(word));
    return;
  }
  SeenWord text = joined(words);
  for (std::size_t n = 0; n < std::max<std::size_t>(given.size(), 1) && n < 64; ++n) {
    const std::string value = n < given.size() ? given[n].text : std::string(1, kUnknownPiece);
    SeenWord one = text;
    if (const std::size_t mark = one.text.find("{}"); mark != std::string::npos) {
      one.text.replace(mark, 2, value);
    } else {
      one.text += " " + value;
    }
    inner.push_back(run_text(std::move(one)));
  }
}

constexpr std::string_view kRunValues = "vepwuhmlac";
constexpr std::string_view kRunLongValues =
    "name network volume env mount entrypoint user workdir publish env-file label platform gpus "
    "memory cpus add-host dns hostname ipc pid restart runtime security-opt shm-size tmpfs ulimit "
    "cap-add cap-drop device expose cpuset-cpus volumes-from pull log-driver log-opt link userns "
    "detach-keys container namespace context index";

// docker exec NAME command …, kubectl exec NAME -- command …
void peel_container(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  std::size_t at = behind_options(command, 1, "HcnlfDp",
                                  "host context config namespace kubeconfig log-level file "
                                  "project-name connection url");
  if (command.word(at) == "compose" || command.word(at) == "container") {
    at = behind_options(command, at + 1, "fp", "file project-name");
  }
  const std::string_view verb = command.word(at);
  if (verb != "exec" && verb != "run") return;
  if (command.program == "kubectl" || command.program == "oc" || command.program == "k3s") {
    while (at < command.words.size() && command.word(at) != "--") ++at;
  } else {
    at = behind_options(command, at + 1, kRunValues, kRunLongValues);
  }
  if (at + 1 < command.words.size()) inner.push_back(run_words(words_from(command, at + 1), true));
}

void peel_ssh(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::size_t host = behind_options(command, 1, "bcDEeFIiJLlmOopQRSWwB", "");
  const std::size_t at = behind_options(command, host + 1, "bcDEeFIiJLlmOopQRSWwB", "");
  if (at < command.words.size()) {
    inner.push_back(run_text(joined(words_from(command, at)), true));
  } else if (command.input.kind == SeenInput::Kind::document && command.input.text) {
    inner.push_back(run_text({*command.input.text}, true));
  }
}

// poetry run command …
void peel_runner(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  static constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
      {"poetry", "run"}, {"uv", "run"},      {"pipenv", "run"}, {"pdm", "run"},
      {"hatch", "run"},  {"conda", "run"},   {"mamba", "run"},  {"bundle", "exec"},
      {"rbenv", "exec"}, {"pyenv", "exec"},  {"mise", "exec"},  {"asdf", "exec"},
      {"npm", "exec"},   {"direnv", "exec"}, {"pnpm", "exec"},  {"rye", "run"}};
  for (const auto& [program, verb] : kVerbs) {
    if (command.program != program) continue;
    std::size_t at = behind_options(command, 1, "", "");
    if (command.word(at) != verb) return;
    at = behind_options(command, at + 1, "np",
                        "name prefix with python project group extra package");
    if (program == "direnv") ++at;
    if (at < command.words.size()) inner.push_back(run_words(words_from(command, at)));
  }
}

// su -c 'text', script -c 'text', flock file -c 'text', watch 'text', …
void peel_text(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::string& program = command.program;
  if (among(program, "su runuser script flock")) {
    if (const auto text = option_value(command, 'c', "command")) inner.push_back(run_text(*text));
    if (program != "flock") return;
    const std::size_t at = behind_options(command, 1, "wEc", "timeout wait conflict-exit-code") + 1;
    if (at < command.words.size() && !command.word(at).starts_with("-")) {
      inner.push_back(run_words(words_from(command, at)));
    }
  } else if (program == "watch") {
    const std::size_t at = behind_options(command, 1, "nq", "interval equexit");
    if (at < command.words.size()) inner.push_back(run_text(joined(words_from(command, at))));
  } else if (program == "nix-shell" || program == "nix") {
    if (const auto text = option_value(command, '\0', "run")) inner.push_back(run_text(*text));
  } else if (program == "tmux" || program == "screen") {
    static constexpr std::string_view kStarts =
        "new new-session neww new-window splitw split-window";
    const bool starts = among(command.word(1), kStarts);
    const std::size_t at = program == "screen" ? behind_options(command, 1, "Sscethp", "")
                                               : behind_options(command, 2, "snctxyFef", "");
    if ((starts || program == "screen") && at < command.words.size()) {
      inner.push_back(run_text(joined(words_from(command, at))));
    }
    if (program == "tmux" && (command.word(1) == "send-keys" || command.word(1) == "send")) {
      const std::size_t keys = behind_options(command, 2, "tN", "");
      if (keys < command.words.size()) inner.push_back(run_text(command.words[keys]));
    }
  }
}

}  // namespace

bool is_shell(std::string_view program) {
  return among(program, "bash sh zsh dash ksh ash mksh fish rbash");
}

bool is_interpreter(std::string_view program) {
  for (const std::string_view name : {"python", "pypy", "perl", "ruby", "node", "nodejs", "php",
                                      "deno", "bun", "lua", "Rscript"}) {
    if (!program.starts_with(name)) continue;
    const std::string_view version = program.substr(name.size());
    if (version.find_first_not_of("0123456789.") == std::string_view::npos) return true;
  }
  return false;
}

ShellCall read_shell_call(const SeenCommand& command) {
  ShellCall call;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word == "--" || word == "-") {
      if (call.has_text) call.text = i + 1;
      call.script = call.has_text ? 0 : i + 1;
      break;
    }
    if (word == "--version" || word == "--help") call.runs_nothing = true;
    if (word.starts_with("--")) {
      if (word == "--rcfile" || word == "--init-file") ++i;
      continue;
    }
    if (word.size() > 1 && (word.front() == '-' || word.front() == '+')) {
      if (word.front() == '-' && word.contains('c')) call.has_text = true;
      if (word.front() == '-' && word.contains('s') && !word.contains('c')) return {};
      if (word.back() == 'o' || word.back() == 'O') ++i;
      continue;
    }
    (call.has_text ? call.text : call.script) = i;
    break;
  }
  if (call.has_text && call.text == 0) call.text = command.words.size();
  if (call.script >= command.words.size()) call.script = 0;
  if (call.script > 0 && command.word(call.script) == "/dev/stdin") call.script = 0;
  return call;
}

std::vector<std::string_view> running_programs() {
  std::vector<std::string_view> names{"bash", "sh",     "zsh",   "dash", "ksh",
                                      "eval", "source", "xargs", "find", "parallel",
                                      "su",   "script", "watch"};
  for (const Wrapper& wrapper : kWrappers) names.push_back(wrapper.name);
  return names;
}

std::vector<InnerCommand> inner_commands(const SeenCommand& command) {
  std::vector<InnerCommand> inner;
  const std::string& program = command.program;
  for (const Wrapper& wrapper : kWrappers) {
    if (wrapper.name != program) continue;
    if (program == "env") peel_env(command, inner);
    if (inner.empty()) peel_wrapper(command, wrapper, inner);
    break;
  }
  if (program == "xargs") {
    peel_xargs(command, inner);
  } else if (program == "find" || program == "gfind") {
    peel_find(command, inner);
  } else if (program == "parallel") {
    peel_parallel(command, inner);
  } else if (program == "ssh") {
    peel_ssh(command, inner);
  } else if (among(program, "docker podman nerdctl docker-compose kubectl oc k3s lxc")) {
    peel_container(command, inner);
  } else if (is_shell(program)) {
    const ShellCall call = read_shell_call(command);
    if (call.has_text && call.text < command.words.size()) {
      InnerCommand run = run_text(command.words[call.text]);
      run.words = words_from(command, call.text + 2);  // behind $0
      inner.push_back(std::move(run));
    }
  } else {
    peel_runner(command, inner);
    peel_text(command, inner);
  }
  return inner;
}

}  // namespace talaria
