#include "policy/guard/run/inner.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/text.h"
#include "policy/guard/listings.h"
#include "policy/guard/run/filter_script.h"
#include "policy/guard/run/given_lists.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/situation.h"
#include "policy/guard/run/tmux_commands.h"
#include "policy/guard/run/wrapper.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using Words = std::vector<SeenWord>;

std::size_t behind_options(const SeenCommand& command, std::size_t at,
                           std::string_view short_values, std::string_view long_values) {
  return guard::behind_options(views_of(command.words), at, {short_values, long_values});
}

Words first_words(const SeenCommand& command, std::size_t end) {
  return {command.words.begin(),
          command.words.begin() +
              std::min(std::ssize(command.words), static_cast<std::ptrdiff_t>(end))};
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
    if (wrapper != nullptr && wrapper->is(kAnyWord)) return true;
    run_by = blank == std::string_view::npos ? "" : run_by.substr(0, blank);
  }
  return false;
}

// env -C directory: where what it runs starts; empty: where it starts itself.
std::string changed_directory(const SeenCommand& command) {
  static const NameIndex<DirectoryOption> index(kDirectoryOptions, &DirectoryOption::programs);
  const auto row = index.find(command.program);
  if (row.empty()) return "";
  const Wrapper* const wrapper = find_wrapper(command.program);
  const std::size_t end =
      wrapper == nullptr ? command.words.size() : wrapped_at(*wrapper, views_of(command.words));
  const SeenCommand own{.words = first_words(command, end), .program = command.program};
  const std::vector<SeenWord> given = option_values(own, row.front()->letter, row.front()->name);
  return given.empty() ? "" : given.back().text;
}

void peel_wrapper(const SeenCommand& command, const Wrapper& wrapper,
                  std::vector<InnerCommand>& inner) {
  const bool elsewhere = wrapper.is(kElsewhere);
  const std::size_t at = wrapped_at(wrapper, views_of(command.words));
  if (at >= command.words.size()) {
    const bool reads = elsewhere && command.input.kind == SeenInput::Kind::document;
    if (reads && command.input.text) inner.push_back(run_text({*command.input.text}, true));
    return;
  }
  Words words = words_from(command, at);
  // one word with a blank in it is no name of a program: some of them have a shell read it
  const bool text = words.size() == 1 && words.front().text.contains(' ');
  inner.push_back(wrapper.is(kText) || text ? run_text(joined(words), elsewhere)
                                            : run_words(std::move(words), elsewhere));
  if (!wrapper.is(kAnyWord) || is_tried(command.run_by)) return;
  constexpr std::size_t kMostWords = 64;
  for (std::size_t i = at + 1; i < std::min(command.words.size(), at + kMostWords); ++i) {
    if (command.word(i).starts_with('-')) continue;
    Words more = words_from(command, i);
    if (more.size() > kMostWords) more.resize(kMostWords);
    inner.push_back(run_words(std::move(more)));
  }
}

// env -S 'text' more words
void peel_env(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::size_t at = wrapped_at(*find_wrapper("env"), views_of(command.words));
  const SeenCommand own{.words = first_words(command, at)};
  for (SeenWord& text : option_values(own, 'S', "split-string")) {
    std::ranges::replace(text.text, '\\', kUnknownPiece);  // which it reads in its own way
    text.text = "env " + text.text + " " + joined(words_from(command, at)).text;
    inner.push_back(run_text(std::move(text)));
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
    std::string text = *command.input.text;
    std::erase_if(text, [](char c) { return c == '\'' || c == '"'; });
    if (marks.empty()) std::ranges::replace(text, ' ', '\n');  // for -I: lines
    if (marks.empty()) std::ranges::replace(text, '\t', '\n');
    for (std::string_view rest = text; !rest.empty();) {
      if (const std::string_view item = trim(next_word(rest, '\n')); !item.empty()) {
        given.push_back({std::string(item)});
      }
    }
  } else {
    for (const std::string& path : command.input.paths) {
      given.push_back(listed_word(path));
    }
    if (given.empty()) given.push_back({std::string(1, kUnknownPiece)});
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
    for (SeenWord& word : one.words) {
      word.listed = item.listed && word.text == marks.front().text;
      word.pattern = word.pattern || (word.listed && item.pattern);
      put_in(word.text, marks.front().text, item.text);
    }
    inner.push_back(std::move(one));
  }
}

void peel_find(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  std::vector<std::string> paths = listed_paths(command);
  constexpr std::size_t kMaxCopied = 4096;  // words, and bytes of a path
  const auto too_long = [](const std::string& path) { return path.size() > kMaxCopied; };
  if ((paths.size() > 1 && paths.size() * command.words.size() > kMaxCopied) ||
      std::ranges::any_of(paths, too_long)) {
    paths = {std::string("/") + kUnknownPiece};
  }
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (!among(command.word(i), kFindRuns)) continue;
    Words words;
    for (++i; i < command.words.size(); ++i) {
      if (command.word(i) == ";" || (command.word(i) == "+" && command.word(i - 1) == "{}")) break;
      words.push_back(command.words[i]);
    }
    const bool fills =
        std::ranges::any_of(words, [](const SeenWord& word) { return word.text.contains('{'); });
    if (command.program.starts_with("fd") && !fills) words.push_back({"{}"});
    for (const std::string& path : paths) {
      InnerCommand run = run_words(words);
      for (SeenWord& word : run.words) {
        word.listed = word.text == "{}" && &word != &run.words.front();
        put_in(word.text, "{}", path);
      }
      run.reads_input = false;
      inner.push_back(std::move(run));
    }
  }
}

void peel_parallel(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const std::size_t at = behind_options(
      command, 1, "jPaINnLsSCd",
      "jobs arg-file max-args delay timeout retries joblog tmpdir results wd workdir");
  Words words;
  std::size_t i = at;
  for (; i < command.words.size() && !command.word(i).starts_with(":::"); ++i) {
    words.push_back(command.words[i]);
  }
  Words given = words_from(command, i + 1);
  if (words.empty()) {
    for (const SeenWord& word : given) inner.push_back(run_text(word));
    const SeenInput& input = command.input;
    if (!given.empty() || input.kind == SeenInput::Kind::inherited) return;
    inner.push_back(run_text({input.text ? *input.text : std::string(1, kUnknownPiece)}));
    return;
  }
  if (given.empty()) {  // what it reads it quotes
    std::vector<std::string> read = command.input.paths;
    if (read.empty()) read.emplace_back(1, kUnknownPiece);
    for (const std::string& path : read) {
      const bool all = listed_word(path).pattern;
      std::string quoted =
          "\"" + with_unknown_variable(all ? path.substr(0, path.size() - 1) : path);
      given.push_back({quoted + (all ? "\"*" : "\"")});
    }
  }
  SeenWord text = joined(words);
  if (!text.text.contains("{}")) text.text += " {}";
  for (std::size_t n = 0; n < given.size() && n < 64; ++n) {
    inner.push_back(run_text(text));
    put_in(inner.back().text.text, "{}", given[n].text);
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

// cmake -E env A=b command …, cmake -E rm …, cmake -E chdir DIR command …
void peel_cmake(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  if (command.word(1) != "-E" || command.words.size() < 3) return;
  Words words = words_from(command, 2);
  const std::string verb = words.front().text;
  if (verb == "chdir") {
    inner.push_back(run_words(words_from(command, 4)));
    inner.back().directory = command.word(3);
    return;
  }
  const std::string_view does = verb.starts_with("remove")       ? "rm"
                                : verb.starts_with("copy")       ? "cp"
                                : verb.starts_with("rename")     ? "mv"
                                : verb.starts_with("create_sym") ? "ln"
                                                                 : std::string_view(verb);
  words.front().text = does;
  if (does == "ln") words.insert(words.begin() + 1, {"-s"});
  if (verb.ends_with("_directory") && among(does, "rm cp"))
    words.insert(words.begin() + 1, {"-rf"});
  inner.push_back(run_words(std::move(words)));
}

// make X='$(shell text)', make CC='text'
void peel_make(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for (const SeenWord& word : command.words) {
    add_bracketed(word.text, "$(shell ", inner);
    if (is_assignment(word.text))
      add_tool_command(word.text.substr(word.text.find('=') + 1), inner);
  }
}

// go test -exec 'text', go build -toolexec 'text'
void peel_go(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    std::string_view word = command.word(i);
    while (word.starts_with('-')) word.remove_prefix(1);
    const std::size_t equals = std::min(word.find('='), word.size());
    if (!among(word.substr(0, equals), "exec toolexec") || word == command.word(i)) continue;
    if (equals < word.size()) {
      inner.push_back(run_text({std::string(word.substr(equals + 1))}));
    } else if (i + 1 < command.words.size()) {
      inner.push_back(run_text(command.words[++i]));
    }
  }
}

// strace -o '|text'; perl -ne 1 'text|', whose operands are opened as perl does that; perl -M… -e f
void peel_opened(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for (const SeenWord& word : command.words) {
    std::string_view text = trim(word.text);
    const bool piped = text.starts_with('|') || text.starts_with('!');
    if (!piped && !(text.ends_with('|') && command.program != "strace")) continue;
    if (piped) text.remove_prefix(1);
    if (text.ends_with('|')) text.remove_suffix(1);
    inner.push_back(run_text({std::string(text)}));
  }
  if (command.program == "strace" || !std::ranges::any_of(command.words, [](const SeenWord& word) {
        return word.text.starts_with("-MExtUtils::Command");
      })) {
    return;
  }
  for (std::size_t i = 1; i + 1 < command.words.size(); ++i) {
    if (command.word(i) != "-e") continue;
    std::string does = command.words[i + 1].text;
    std::ranges::replace(does, '_', ' ');  // rm_rf, rm_f, mv, cp
    if (does.starts_with("rm ")) does.insert(3, "-");
    Words words;
    for (std::string_view rest = does; !rest.empty();) {
      words.push_back({std::string(next_word(rest))});
    }
    std::ranges::copy(words_from(command, i + 2), std::back_inserter(words));
    inner.push_back(run_words(std::move(words)));
  }
}

// What it reads it may show. Awk writes to what it runs.
void peel_filter(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  FilterActions actions = filter_actions(command);
  for (std::string& path : actions.read) inner.push_back(run_words({{"cat"}, {std::move(path)}}));
  for (std::string& text : actions.commands) {
    inner.push_back(run_text({std::move(text)}));
    inner.back().fed = is_awk_program(command.program);
  }
}

void peel_shell(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  const ShellCall call = read_shell_call(command);
  if (!call.has_text || call.text >= command.words.size()) return;
  // of a text that is known in part, what is not known is a variable of it
  SeenWord text = command.words[call.text];
  if (text.text.size() > 1) text.text = with_unknown_variable(text.text);
  InnerCommand run = run_text(std::move(text));
  if (call.text + 1 < command.words.size()) run.name = command.words[call.text + 1];
  run.words = words_from(command, call.text + 2);
  inner.push_back(std::move(run));
}

// python3 -m pytest …
void peel_module(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for (std::size_t i = 1; i < command.words.size() && command.word(i).starts_with('-'); ++i) {
    if (command.word(i) != "-m") continue;
    if (command.word(i + 1) == "pytest") inner.push_back(run_words(words_from(command, i + 1)));
    return;
  }
}

// How the words of a program are read for what it runs, where no table says it.
struct Reader {
  std::string_view programs;
  void (*read)(const SeenCommand& command, std::vector<InnerCommand>& inner);
};
constexpr Reader kWordReaders[] = {
    {"xargs", peel_xargs},
    {"find gfind fd fdfind", peel_find},
    {"parallel sem", peel_parallel},
    {"talaria", add_talaria_commands},
    {"tmux", add_tmux_commands},
    {"docker podman nerdctl docker-compose kubectl oc k3s lxc incus", peel_container},
    {"salt salt-call salt-ssh", peel_salt},
    {"cmake", peel_cmake},
    {"sed gsed awk gawk mawk nawk original-awk", peel_filter},
    {"at batch",
     [](const SeenCommand& command, std::vector<InnerCommand>& inner) {
       if (command.input.text) inner.push_back(run_text({*command.input.text}));
     }},
    {"make gmake", peel_make},
    {"python python3", peel_module},
    {"go", peel_go},
    {"perl strace ltrace", peel_opened},
};

}  // namespace

SeenCommand child_of(InnerCommand inner, const SeenCommand& by, bool elsewhere) {
  SeenCommand child;
  child.words = std::move(inner.words);
  child.by_program = true;
  if (inner.reads_input) child.input = by.input;
  if (inner.reads_input) child.descriptors = by.descriptors;
  if (among(by.program, "env sudo cross-env")) child.variables = assignments_in(by);
  if (inner.input) child.input = {.kind = SeenInput::Kind::document, .text = inner.input};
  if (!elsewhere) {
    const bool relative = inner.directory.find_first_of("/~") != 0;
    const bool known = !inner.directory.contains(kUnknownPiece);
    child.from_start = by.from_start && relative && known;
    child.directory = relative ? by.directory : inner.directory;
    if (relative && !inner.directory.empty() && !by.directory.empty()) {
      child.directory += "/" + inner.directory;
    }
    if (!known) child.directory.clear();
    child.lost = by.lost && relative;
  }
  child.by_port =
      by.by_port || (among(by.program, "xargs parallel") &&
                     std::ranges::find(by.input.producers, kPortOwner) != by.input.producers.end());
  child.processes = by.processes;
  child.substituted = by.substituted;
  child.backquotes = by.backquotes;
  return child;
}

std::vector<SeenWord> words_from(const SeenCommand& command, std::size_t at) {
  if (at >= command.words.size()) return {};
  return {command.words.begin() + static_cast<std::ptrdiff_t>(at), command.words.end()};
}

SeenWord joined(const std::vector<SeenWord>& words) {
  SeenWord text;
  for (const SeenWord& word : words) {
    if (!text.text.empty()) text.text += ' ';
    text.text += word.text;
  }
  return text;
}

std::vector<std::string_view> running_programs() {
  std::vector<std::string_view> names{"bash", "sh",     "zsh",   "dash", "ksh",
                                      "eval", "source", "xargs", "find", "parallel",
                                      "su",   "script", "tmux"};
  for (const Wrapper& wrapper : kWrappers) {
    for (std::string_view rest = wrapper.name; !rest.empty();) {
      const std::string_view name = next_word(rest);
      if (!name.ends_with('*') && !wrapper.is(kElsewhere)) names.push_back(name);
    }
  }
  return names;
}

std::vector<InnerCommand> texts_in(std::string_view part) {
  std::vector<InnerCommand> texts;
  std::string whole;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool escaped = part[i] == '\\' && i + 1 < part.size();
    if (escaped) ++i;
    whole += !escaped ? part[i] : part[i] == 'n' ? '\n' : part[i] == 't' ? '\t' : part[i];
  }
  for (std::string_view rest = whole; !rest.empty() && texts.size() < kMaxInner;) {
    const std::string_view line = next_word(rest, '\n');
    texts.push_back(run_text({std::string(line)}));
    std::string_view quotes = line;
    for (bool inside = false; !quotes.empty(); inside = !inside) {
      const std::string_view text = next_word(quotes, '"');
      if (inside) texts.push_back(run_text({std::string(text)}));
    }
  }
  return texts;
}

void add_bracketed(std::string_view text, std::string_view mark, std::vector<InnerCommand>& inner) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string_view::npos;) {
    at += mark.size();
    std::size_t end = at;
    for (int open = 1; end < text.size(); ++end) {
      open += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
      if (open == 0) break;
    }
    inner.push_back(run_text({std::string(text.substr(at, end - at))}));
  }
}

std::vector<InnerCommand> inner_commands(const SeenCommand& command) {
  static const NameIndex<Reader> readers(kWordReaders, &Reader::programs);
  std::vector<InnerCommand> inner;
  const std::string& program = command.program;
  if (program == "env") peel_env(command, inner);
  const Wrapper* const wrapper = inner.empty() ? find_wrapper(program) : nullptr;
  if (wrapper != nullptr) peel_wrapper(command, *wrapper, inner);
  add_option_commands(command, inner);
  add_listed_commands(command, inner);
  if (const auto reader = readers.find(program); !reader.empty()) {
    reader.front()->read(command, inner);
  } else if (is_shell(program)) {
    peel_shell(command, inner);
  }
  if (inner.empty()) return inner;
  const std::string directory = changed_directory(command);
  for (InnerCommand& one : inner) {
    if (one.directory.empty()) one.directory = directory;
  }
  return inner;
}

}  // namespace talaria::guard
