#include "policy/guard/run/inner.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_map>
#include <utility>

#include "policy/guard/run/awk_script.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/sed_script.h"
#include "policy/guard/run/talaria_calls.h"
#include "policy/guard/run/wrapper.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using Words = std::vector<SeenWord>;

std::vector<std::string_view> views_of(const SeenCommand& command) {
  std::vector<std::string_view> views;
  views.reserve(command.words.size());
  for (const SeenWord& word : command.words) views.emplace_back(word.text);
  return views;
}

// The first word from `at` on that is no option (or what an option takes).
std::size_t behind_options(const SeenCommand& command, std::size_t at,
                           std::string_view short_values, std::string_view long_values) {
  return talaria::guard::behind_options(views_of(command), at, {short_values, long_values});
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

// Whether a command around it has had every word of the same text tried.
bool is_tried(std::string_view run_by) {
  while (!run_by.empty()) {
    const std::size_t blank = run_by.find_last_of(' ');
    const std::string_view program = run_by.substr(blank + 1);
    if (is_shell(program)) return false;
    const Wrapper* const wrapper = find_wrapper(program);
    if (wrapper != nullptr && wrapper->any_word) return true;
    run_by = blank == std::string_view::npos ? "" : run_by.substr(0, blank);
  }
  return false;
}

// env -C directory, sudo -D directory: of the words before `end`.
std::string changed_directory(const SeenCommand& command, std::size_t end) {
  const std::string_view letter = command.program == "env" ? "-C" : "-D";
  if (!among(command.program, "env sudo")) return "";
  for (std::size_t i = 1; i < end; ++i) {
    const std::string_view word = command.word(i);
    if (word == letter || word == "--chdir") return std::string(command.word(i + 1));
    if (word.starts_with("--chdir=")) return std::string(word.substr(8));
    if (word.starts_with(letter)) return std::string(word.substr(2));
  }
  return "";
}

void peel_wrapper(const SeenCommand& command, const Wrapper& wrapper,
                  std::vector<InnerCommand>& inner) {
  const std::size_t at = wrapped_at(wrapper, views_of(command));
  if (at >= command.words.size()) {
    const bool reads = wrapper.elsewhere && command.input.kind == SeenInput::Kind::document;
    if (reads && command.input.text) inner.push_back(run_text({*command.input.text}, true));
    return;
  }
  // one word with a blank in it is no name of a program: some of them have a shell read it
  const bool text = at + 1 == command.words.size() && command.word(at).contains(' ');
  if (wrapper.as_text || text) {
    inner.push_back(run_text(joined(words_from(command, at)), wrapper.elsewhere));
  } else {
    inner.push_back(run_words(words_from(command, at), wrapper.elsewhere));
  }
  inner.back().directory = changed_directory(command, at);
  if (!wrapper.any_word || is_tried(command.run_by)) return;
  constexpr std::size_t kMostWords = 64;
  for (std::size_t i = at + 1; i < std::min(command.words.size(), at + kMostWords); ++i) {
    if (command.word(i).starts_with('-')) continue;
    const auto first = command.words.begin() + static_cast<std::ptrdiff_t>(i);
    const auto left = std::min<std::ptrdiff_t>(command.words.end() - first, kMostWords);
    inner.push_back(run_words({first, first + left}));
  }
}

// Of the text of `env -S`: what stands between its words besides blanks.
std::string split_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] == '\\' && next != '\0' && std::string_view("_tnfrv").contains(next)) {
      out += ' ';
      ++i;
    } else if (text[i] == '\\' && next == 'c') {
      break;
    } else {
      out += text[i];
    }
  }
  return out;
}

// env -S 'text' more words: also -vS, -iS, -Stext and --split-string=text
void peel_env(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word.size() < 2 || word.front() != '-') {
      if (word == "-") continue;
      return;
    }
    std::string text;
    if (word.starts_with("--")) {
      if (!word.starts_with("--s")) {
        if (among(word, "--unset --chdir --argv0")) ++i;
        continue;
      }
      const std::size_t equals = word.find('=');
      text = equals != std::string_view::npos ? word.substr(equals + 1) : command.word(++i);
    } else {
      const std::size_t valued = word.find_first_of("SuCPa", 1);
      if (valued == std::string_view::npos) continue;
      const bool last = valued + 1 == word.size();
      if (word[valued] != 'S') {
        if (last) ++i;
        continue;
      }
      text = last ? command.word(++i) : word.substr(valued + 1);
    }
    text = split_text(text);
    for (const SeenWord& more : words_from(command, i + 1)) text += " " + more.text;
    inner.push_back(run_text({"env " + text}));
    return;
  }
}

void put_in(std::string& text, std::string_view mark, std::string_view instead) {
  for (std::size_t from = 0; !mark.empty() && (from = text.find(mark, from)) != std::string::npos;
       from += instead.size()) {
    text.replace(from, mark.size(), instead);
  }
}

// With -I once for each line, else for all words.
void peel_xargs(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::size_t at = behind_options(
      command, 1, "adEILnPs", "arg-file delimiter max-lines max-args max-procs max-chars replace");
  Words words = words_from(command, at);
  if (words.empty()) return;
  const std::vector<SeenWord> marks = option_values(command, 'I', "replace");
  Words given;
  if (command.input.text && command.input.text->size() < 4096) {
    std::string item;
    for (const char c : *command.input.text + "\n") {
      const bool blank = c == ' ' || c == '\t';
      if (c == '\n' || (blank && (marks.empty() || item.empty()))) {  // for -I: lines
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
  if (marks.empty()) {
    std::ranges::copy(given, std::back_inserter(run.words));
    inner.push_back(std::move(run));
    return;
  }
  constexpr std::size_t kMaxLines = 32;
  if (given.empty()) given.push_back({""});
  if (given.size() > kMaxLines) given.assign(1, {std::string(1, kUnknownPiece)});
  for (const SeenWord& item : given) {
    InnerCommand one = run;
    for (SeenWord& word : one.words) put_in(word.text, marks.front().text, item.text);
    inner.push_back(std::move(one));
  }
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
    const SeenInput& input = command.input;
    if (!given.empty() || input.kind == SeenInput::Kind::inherited) return;
    inner.push_back(run_text({input.text ? *input.text : std::string(1, kUnknownPiece)}));
    return;
  }
  SeenWord text = joined(words);
  // what it reads it quotes
  const std::string unknown = "\"" + std::string(kUnknownVariable) + "\"";
  for (std::size_t n = 0; n < std::max<std::size_t>(given.size(), 1) && n < 64; ++n) {
    const std::string value = n < given.size() ? given[n].text : unknown;
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
  Words words = words_from(command, at + 1);
  if (!words.empty() && words.front().text == "--") words.erase(words.begin());  // of lxc
  for (SeenWord& program : option_values(command, '\0', "entrypoint")) {
    words.insert(words.begin(), std::move(program));
  }
  if (!words.empty()) inner.push_back(run_words(std::move(words), true));
}

// salt '*' cmd.run 'text'
void peel_salt(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const bool raw = among(command.word(i), "-r --raw --raw-shell");
    if (!command.word(i).starts_with("cmd.") && !raw) continue;
    inner.push_back(run_text(joined(words_from(command, i + 1)), true));
    return;
  }
}

// tmux and screen, wherever their command or keys stand.
void peel_terminal(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  if (command.program == "screen") {
    const std::size_t at = behind_options(command, 1, "ScethpTX", "");
    const auto options = std::span(command.words).first(std::min(at, command.words.size()));
    if (std::ranges::any_of(options, [](const SeenWord& word) { return word.text == "-X"; })) {
      if (command.word(at - 1) == "stuff" || command.word(at) == "stuff") {
        inner.push_back(run_text(joined(words_from(command, at))));
      }
    } else if (at < command.words.size()) {
      inner.push_back(run_words(words_from(command, at)));
    }
    return;
  }
  const std::size_t verb = behind_options(command, 1, "LSfcT", "");
  const std::string_view name = command.word(verb);
  const std::size_t at = behind_options(command, verb + 1, "snctxyFefNETSlp", "");
  if (at >= command.words.size()) return;
  if (among(name,
            "new new-session neww new-window splitw split-window respawn-pane respawnp "
            "respawn-window respawnw run run-shell if if-shell pipe-pane pipep popup "
            "display-popup")) {
    inner.push_back(run_text(joined(words_from(command, at))));
  } else if (name == "send-keys" || name == "send") {
    SeenWord text;
    for (const SeenWord& key : words_from(command, behind_options(command, verb + 1, "tN", ""))) {
      text.text += among(key.text, "Enter C-m C-j KPEnter") ? "\n"
                   : key.text == "Space"                    ? " "
                                                            : key.text;
    }
    inner.push_back(run_text(std::move(text)));
  }
}

// cmake -E env A=b command …, cmake -E rm …
void peel_cmake(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  if (command.word(1) != "-E") return;
  const std::string_view verb = command.word(2);
  if (verb == "env" || verb == "time") {
    const std::vector<std::string_view> views = views_of(command);
    inner.push_back(run_words(
        words_from(command, talaria::guard::behind_options(views, 3, {}, /*assignments=*/true))));
  } else if (among(verb, "rm remove remove_directory")) {
    Words words{{"rm"}};
    if (verb == "remove_directory") words.push_back({"-rf"});
    std::ranges::move(words_from(command, 3), std::back_inserter(words));
    inner.push_back(run_words(std::move(words)));
  }
}

// flock FILE command
void peel_flock(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::size_t at = behind_options(command, 1, "wEc", "timeout wait conflict-exit-code") + 1;
  if (at < command.words.size() && !command.word(at).starts_with("-")) {
    inner.push_back(run_words(words_from(command, at)));
  }
}

// sg GROUP 'text'
void peel_sg(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::size_t at = command.word(1) == "-" ? 3 : 2;
  if (at < command.words.size() && !command.word(at).starts_with("-")) {
    inner.push_back(run_text(command.words[at]));
  }
}

void peel_entr(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::size_t at = behind_options(command, 1, "", "");
  const auto options = std::span(command.words).first(std::min(at, command.words.size()));
  const bool shell = std::ranges::any_of(options, [](const SeenWord& word) {
    return word.text.starts_with('-') && word.text.contains('s');
  });
  if (at >= command.words.size()) return;
  inner.push_back(shell ? run_text(joined(words_from(command, at)))
                        : run_words(words_from(command, at)));
}

// ip netns exec NAME command
void peel_ip(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::size_t at = behind_options(command, 1, "", "");
  if (among(command.word(at), "netns vrf") && command.word(at + 1) == "exec") {
    inner.push_back(run_words(words_from(command, at + 3)));
  }
}

// What stands behind -- is for a bash.
void peel_capsh(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const auto dashes = std::ranges::find(command.words, "--", &SeenWord::text);
  Words words{{"bash"}};
  if (dashes == command.words.end()) return;
  std::copy(dashes + 1, command.words.end(), std::back_inserter(words));
  inner.push_back(run_words(std::move(words)));
}

void peel_sed(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for (std::string& text : sed_actions(command).commands) {
    inner.push_back(run_text({std::move(text)}));
  }
}

void peel_awk(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for (std::string& text : awk_actions(command).commands) {
    inner.push_back({.is_text = true, .text = {std::move(text)}, .fed = true});
  }
}

// at and batch read it.
void peel_input(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  if (command.input.text) inner.push_back(run_text({*command.input.text}));
}

void peel_shell(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const ShellCall call = read_shell_call(command);
  if (!call.has_text || call.text >= command.words.size()) return;
  // of a text that is known in part, what is not known is a variable of it
  SeenWord text = command.words[call.text];
  if (text.text.size() > 1) text.text = with_unknown_variable(text.text);
  InnerCommand run = run_text(std::move(text));
  run.words = words_from(command, call.text + 2);  // behind $0
  inner.push_back(std::move(run));
}

// How the words of a program are read for what it runs, where no table says it.
struct Reader {
  std::string_view programs;
  void (*read)(const SeenCommand& command, std::vector<InnerCommand>& inner);
};
constexpr Reader kWordReaders[] = {
    {"xargs", peel_xargs},
    {"find gfind", peel_find},
    {"parallel sem", peel_parallel},
    {"tmux screen", peel_terminal},
    {"talaria", add_talaria_commands},
    {"docker podman nerdctl docker-compose kubectl oc k3s lxc incus", peel_container},
    {"salt salt-call salt-ssh", peel_salt},
    {"flock", peel_flock},
    {"sg", peel_sg},
    {"entr", peel_entr},
    {"cmake", peel_cmake},
    {"ip", peel_ip},
    {"capsh", peel_capsh},
    {"sed gsed", peel_sed},
    {"awk gawk mawk nawk original-awk", peel_awk},
    {"at batch", peel_input},
};

}  // namespace

std::vector<SeenWord> words_from(const SeenCommand& command, std::size_t at) {
  if (at >= command.words.size()) return {};
  return {command.words.begin() + static_cast<std::ptrdiff_t>(at), command.words.end()};
}

std::vector<std::string_view> running_programs() {
  std::vector<std::string_view> names{"bash",   "sh",    "zsh",  "dash",     "ksh", "eval",
                                      "source", "xargs", "find", "parallel", "su",  "script"};
  for (const Wrapper& wrapper : kWrappers) {
    for (std::string_view rest = wrapper.name; !rest.empty();) {
      const std::string_view name = next_word(rest);
      if (!name.ends_with('*') && !wrapper.elsewhere) names.push_back(name);
    }
  }
  return names;
}

std::vector<InnerCommand> inner_commands(const SeenCommand& command) {
  static const auto readers = [] {
    std::unordered_map<std::string_view, const Reader*> index;
    for (const Reader& reader : kWordReaders) {
      for (std::string_view names = reader.programs; !names.empty();) {
        index.emplace(next_word(names), &reader);
      }
    }
    return index;
  }();
  std::vector<InnerCommand> inner;
  const std::string& program = command.program;
  if (program == "env") peel_env(command, inner);
  const Wrapper* const wrapper = inner.empty() ? find_wrapper(program) : nullptr;
  if (wrapper != nullptr) peel_wrapper(command, *wrapper, inner);
  add_option_commands(command, inner);
  if (const auto reader = readers.find(program); reader != readers.end()) {
    reader->second->read(command, inner);
  } else if (is_shell(program)) {
    peel_shell(command, inner);
  }
  return inner;
}

}  // namespace talaria::guard
