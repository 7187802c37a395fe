// What shells read as commands: their input, descriptors, and files that the same text wrote.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "policy/guard/run/awk_script.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/run/sed_script.h"
#include "policy/guard/run/walker.h"
#include "policy/guard/word_list.h"

namespace talaria {
namespace {

using RedirectKind = ShellRedirect::Kind;

constexpr std::size_t kMaxWritten = 256;  // texts

bool fetches(const std::vector<std::string>& programs) {
  return std::ranges::any_of(
      programs, [](const std::string& program) { return program == "curl" || program == "wget"; });
}

// The number behind /dev/fd/; -1: it is no such path.
int descriptor_of(std::string_view path) {
  if (path == "/dev/stdin") return 0;
  for (const std::string_view directory : {"/dev/fd/", "/proc/self/fd/", "/proc/$$/fd/"}) {
    if (!path.starts_with(directory)) continue;
    const std::string_view rest = path.substr(directory.size());
    int number = -1;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error == std::errc() && end == rest.data() + rest.size()) return number;
  }
  return -1;
}

bool is_process(std::string_view path) {
  return path.starts_with("/dev/fd/") && path.ends_with(kUnknownPiece);
}

SeenInput unknown_input() { return {.kind = SeenInput::Kind::pipe}; }

SeenInput text_input(const std::shared_ptr<const std::string>& text) {
  return {.kind = text ? SeenInput::Kind::document : SeenInput::Kind::pipe, .text = text};
}

// Its first line names another language.
bool is_foreign(std::string_view script) {
  if (!script.starts_with("#!")) return false;
  std::string_view line = script.substr(0, script.find('\n'));
  while (line.ends_with(' ')) line.remove_suffix(1);
  return !base_name(line.substr(0, line.find(" -"))).ends_with("sh");
}

std::vector<std::string> operands(const SeenCommand& seen) {
  std::vector<std::string> all;
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    if (!seen.word(i).starts_with('-')) all.push_back(seen.words[i].text);
  }
  return all;
}

}  // namespace

SeenInput Walker::input_of(const SeenCommand& seen, int descriptor) const {
  if (descriptor == 0) return seen.input;
  if (const auto own = seen.descriptors.find(descriptor); own != seen.descriptors.end()) {
    return own->second;
  }
  const auto given = descriptors_.find(descriptor);
  return given != descriptors_.end() ? given->second : unknown_input();
}

// What is behind a word that names a descriptor or a file this text wrote.
std::optional<SeenInput> Walker::input_named(const SeenCommand& seen, std::size_t at) {
  const std::string& path = seen.words[at].text;
  if (const int descriptor = descriptor_of(path); descriptor >= 0) {
    return input_of(seen, descriptor);
  }
  if (is_process(path)) {
    const auto before = std::count_if(seen.words.begin(), seen.words.begin() + at,
                                      [](const SeenWord& word) { return is_process(word.text); });
    const std::size_t which = static_cast<std::size_t>(before);
    return which < seen.processes.size() ? seen.processes[which] : unknown_input();
  }
  return std::nullopt;
}

// Where a redirection of input leads, for the command and what it runs.
void Walker::redirect_input(const ShellRedirect& redirect, const SeenWord& target, bool process,
                            SeenCommand& seen) {
  SeenInput input{.kind = SeenInput::Kind::file};
  if (redirect.kind == RedirectKind::here_document || redirect.kind == RedirectKind::here_string) {
    input = text_input(std::make_shared<const std::string>(target.text));
  } else if (redirect.kind == RedirectKind::duplicate) {
    const int from = descriptor_of("/dev/fd/" + target.text);
    if (target.text != "-") input = from >= 0 ? input_of(seen, from) : unknown_input();
  } else if (process) {
    input = processes_.back();  // < <(command) is a pipe in other words
  } else if (const int from = descriptor_of(target.text); from >= 0) {
    input = input_of(seen, from);
  } else if (const auto wrote = written_.find(std::string(base_name(target.text)));
             wrote != written_.end()) {
    input = text_input(wrote->second.size() == 1 ? wrote->second.front() : nullptr);
  }
  if (redirect.descriptor == 0) {
    seen.input = std::move(input);
  } else {
    seen.descriptors[redirect.descriptor] = std::move(input);
  }
}

// exec <file: what the shell itself reads from now on.
void Walker::keep_input(const SeenCommand& seen) {
  const bool same = seen.input.kind == input_.kind && seen.input.text == input_.text;
  if (same && seen.descriptors.empty()) return;
  ++input_changes_;
  const bool certain = once_ && sure_;
  if (!same) input_ = certain ? seen.input : unknown_input();
  for (const auto& [descriptor, input] : seen.descriptors) {
    descriptors_[descriptor] = certain ? input : unknown_input();
  }
}

// Files that the text writes are told apart by their last name.
void Walker::note_written(const SeenWord& path, std::shared_ptr<const std::string> text,
                          bool append) {
  if (path.text.starts_with("/dev/") || path.text.empty() || elsewhere_) return;
  if (!text && !path.known()) return;
  const std::string name(base_name(path.text));
  if (written_.size() >= kMaxWritten && !written_.contains(name)) {
    return say_unclear("too much to follow", "it writes more files than can be followed");
  }
  if (text) budget_.spend(text->size());
  auto& texts = written_[name];
  if (append && !texts.empty()) {
    for (auto& one : texts) {
      const bool known = one && text;
      if (known) budget_.spend(one->size());
      one = known ? std::make_shared<const std::string>(*one + *text) : nullptr;
    }
    return;
  }
  if (once_ && sure_ && calls_.empty()) texts.clear();
  if (texts.size() < kMaxPossibleValues) texts.push_back(std::move(text));
}

void Walker::note_redirects(const std::vector<SeenRedirect>& redirects,
                            const std::optional<std::string>& text) {
  for (const SeenRedirect& redirect : redirects) {
    if (!redirect.writes()) continue;
    const bool known = redirect.descriptor == 1 && text;
    note_written(redirect.target, known ? std::make_shared<const std::string>(*text) : nullptr,
                 redirect.kind == RedirectKind::append);
  }
}

// Where it writes what.
void Walker::note_files(const SeenCommand& seen) {
  const std::string& program = seen.program;
  if (!seen.redirects.empty()) note_redirects(seen.redirects, literal_output(seen));
  std::shared_ptr<const std::string> text = seen.input.text;
  if (text && text->contains(kUnknownPiece)) text.reset();
  if (program == "tee") {
    const bool append = seen.word(1) == "-a" || seen.word(1) == "--append";
    for (const std::string& path : operands(seen)) note_written({path}, text, append);
  } else if (program == "dd") {
    for (const SeenWord& word : seen.words) {
      if (word.text.starts_with("of=")) note_written({word.text.substr(3)}, text, false);
    }
  } else if (program == "mkfifo" || (program == "mknod" && seen.words.back().text == "p")) {
    for (const std::string& path : operands(seen)) note_written({path}, nullptr, false);
  } else if (among(program, "sed gsed")) {
    for (std::string& path : sed_actions(seen).files) note_written({path}, nullptr, false);
  } else if (among(program, "awk gawk mawk nawk original-awk")) {
    for (std::string& path : awk_actions(seen).files) note_written({path}, nullptr, false);
  } else if (among(program, "sort gsort")) {
    for (const SeenWord& path : option_values(seen, 'o', "output")) {
      note_written(path, nullptr, false);
    }
  } else if (among(program, "cp mv ln install")) {
    note_copy(seen);
  }
}

void Walker::note_copy(const SeenCommand& seen) {
  const std::vector<std::string> paths = operands(seen);
  if (paths.size() < 2 || elsewhere_) return;
  const std::string to(base_name(paths.back()));
  if (to.contains(kUnknownPiece)) return;
  for (std::size_t i = 0; i + 1 < paths.size(); ++i) {
    const std::string from(base_name(paths[i]));
    if (to == from || to.empty() || to == ".") continue;  // then it keeps its name
    if (const int descriptor = descriptor_of(paths[i]); descriptor >= 0) {
      note_written({to}, input_of(seen, descriptor).text, false);
    } else if (is_process(paths[i])) {
      note_written({to}, seen.processes.size() == 1 ? seen.processes.front().text : nullptr, false);
    }
    if (const auto wrote = written_.find(from); wrote != written_.end()) {
      written_[to] = std::vector(wrote->second);
    }
    if (std::ranges::find(watched_, from) != watched_.end()) copies_[to] = from;
  }
}

// A script that this text wrote, or a program it gave another name.
void Walker::run_file(const SeenCommand& seen, std::size_t at) {
  const std::string name(base_name(seen.word(at)));
  if (const auto copy = copies_.find(name); at == 0 && copy != copies_.end()) {
    SeenCommand other = seen;
    other.words[0] = {copy->second};
    other.by_program = true;
    if (++followed_ <= kMaxFollowed) run(std::move(other));
  }
  if (at == 0 && !seen.word(0).contains('/')) return;
  const bool known = !name.contains(kUnknownPiece) && !seen.words[at].pattern;
  std::vector<std::shared_ptr<const std::string>> texts;
  for (const auto& [written, all] : written_) {
    if (known ? written != name : !matches_pattern(name, written)) continue;
    std::ranges::copy_if(all, std::back_inserter(texts),
                         [&](const auto& text) { return known || text; });
  }
  for (const auto& text : texts) {
    if (text && at == 0 && is_foreign(*text)) continue;
    run_input(text_input(text), seen);
  }
}

// The word is a script, for a shell or for `source`.
void Walker::run_script(const SeenCommand& seen, std::size_t at) {
  if (at >= seen.words.size()) return;
  if (const std::optional<SeenInput> input = input_named(seen, at)) return run_input(*input, seen);
  run_file(seen, at);
}

// A shell that was given no script reads one from its input.
void Walker::run_shell_input(const SeenCommand& seen) {
  const ShellCall call = read_shell_call(seen);
  for (std::size_t i = 1; i + 1 < seen.words.size(); ++i) {
    if (among(seen.word(i), "--rcfile --init-file")) run_script(seen, i + 1);
  }
  if (call.has_text || call.runs_nothing) return;
  if (call.script == 0) return run_input(seen.input, seen);
  run_script(seen, call.script);
}

// An interpreter whose script is a descriptor.
void Walker::meet_interpreter(const SeenCommand& seen) {
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    if (seen.word(i).starts_with('-')) continue;
    if (descriptor_of(seen.word(i)) >= 0) {
      say_unclear("code is read from a descriptor", seen.program + " runs code that is no file",
                  &seen);
    }
    return;
  }
}

void Walker::run_input(const SeenInput& input, const SeenCommand& by) {
  if (input.kind == SeenInput::Kind::inherited || input.kind == SeenInput::Kind::file) return;
  if (!input.text) {
    if (!fetches(input.producers)) {  // which is a rule of its own
      say_unclear("unknown commands are piped to a shell",
                  "a shell reads commands that are known only when they run", &by);
    }
    return;
  }
  SeenCommand reader = by;
  reader.program = "input";
  reader.input = {};
  run_text({*input.text}, {}, reader, elsewhere_);
}

}  // namespace talaria
