// What shells read as commands: their input, descriptors, and files that the same text wrote.
#include <algorithm>
#include <utility>

#include "policy/guard/program/interpreter_call.h"
#include "policy/guard/run/descriptors.h"
#include "policy/guard/run/walker.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using RedirectKind = ShellRedirect::Kind;

bool fetches(const std::vector<std::string>& programs) {
  return std::ranges::any_of(
      programs, [](const std::string& program) { return program == "curl" || program == "wget"; });
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
  } else if (const auto wrote = written_.find(file_path(target.text, seen.directory));
             !wrote.empty()) {
    const bool one = wrote.size() == 1 && wrote.front()->contents.size() == 1 &&
                     !wrote.front()->contents.front().part;
    input = text_input(one ? wrote.front()->contents.front().text : nullptr);
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

// What an interpreter runs that is no file of the project: programs among its words, its input, or
// a descriptor.
void Walker::meet_interpreter(const SeenCommand& seen) {
  const bool tcl = among(seen.program, "tclsh wish expect");
  const Language language = tcl ? Language::tcl : Language::program;
  const InterpreterCall call = read_interpreter_call(seen);
  const auto follow = [&](std::shared_ptr<const std::string> text) {
    follow_instructions(language, {.text = std::move(text)}, seen);
  };
  for (const std::string& program : call.programs) {
    follow(std::make_shared<const std::string>(program));
  }
  std::optional<SeenInput> input;
  if (call.reads_input) input = seen.input;
  if (call.file > 0 && call.file < seen.words.size()) input = input_named(seen, call.file);
  if (!input || input->kind == SeenInput::Kind::inherited || input->kind == SeenInput::Kind::file) {
    return;
  }
  if (input->text) return follow(input->text);
  const bool project = std::ranges::all_of(
      input->producers, [](const std::string& program) { return program == "cat"; });
  if (elsewhere_ || fetches(input->producers) || (project && !input->producers.empty())) return;
  say_unclear("unknown program is piped to an interpreter",
              seen.program + " reads a program that is known only when it runs", &seen);
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

}  // namespace talaria::guard
