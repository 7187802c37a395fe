// What is printed: by the stages of a pipeline, in substitutions, into files.
#include <algorithm>
#include <utility>

#include "policy/guard/run/made_output.h"
#include "policy/guard/run/walker.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {

std::vector<std::string> Walker::programs_since(std::size_t first) const {
  std::vector<std::string> programs;
  for (std::size_t i = first; i < commands_.size() && programs.size() < 100; ++i) {
    programs.push_back(commands_[i].program);
  }
  return programs;
}

// Adds what the command prints to what is listened to. What it runs speaks through it, except in a
// pipeline of its own.
void Walker::print(const SeenCommand& seen) {
  if (output_ == nullptr || seen.run_by != listened_by_) return;
  if (seen.program == "exec") return output_->forget();  // it may lead the output elsewhere
  const Destination to = destination(seen.redirects, false);
  if (to == Destination::elsewhere) {  // tee /dev/stderr 2>&1 >/dev/null
    const bool others = destination(seen.redirects, true) != to;
    if (others && !among(seen.program, "echo printf")) output_->forget();
    return;
  }
  std::optional<std::string> text = literal_output(seen);
  const bool unclear = to == Destination::unclear || (xpg_echo_ && seen.program == "echo");
  if (unclear || (background_ && text != "")) text.reset();
  if (text && may_print_nothing(seen)) return output_->add_fallible(*text);
  output_->add(text);
}

// What a compound command printed goes where its redirections lead.
void Walker::pour(const Output& printed, const std::vector<SeenRedirect>& redirects,
                  std::size_t first) {
  FileContent content;
  if (std::optional<std::string> text = printed.text()) {
    content.text = std::make_shared<const std::string>(std::move(*text));
  } else {
    content.unseen = is_unseen(programs_since(first));
  }
  note_redirects(redirects, content, directory());
  if (output_ == nullptr) return;
  const Destination to = destination(redirects, true);
  if (to == Destination::unclear) output_->forget();
  if (to == Destination::output) output_->add(printed);
}

// One of the commands of a pipeline. What it prints is the input of the next, or of nobody we know.
void Walker::walk_stage(const ShellCommand& command, bool last) {
  const std::size_t first = commands_.size();
  Output printed;
  Output* const listener = std::exchange(output_, &printed);
  const std::string outer = std::exchange(listened_by_, run_by_);
  walk_command(command);
  listened_by_ = outer;
  output_ = listener;
  if (last) {
    if (listener != nullptr) listener->add(printed);
    return;
  }
  SeenInput next{.kind = SeenInput::Kind::pipe};
  if (input_.kind == SeenInput::Kind::pipe) next.producers = input_.producers;
  std::ranges::move(programs_since(first), std::back_inserter(next.producers));
  if (std::optional<std::string> text = printed.text()) {
    next.text = std::make_shared<const std::string>(std::move(*text));
  }
  input_ = std::move(next);
}

// Behind && and || a pipeline may not run, and then it prints nothing.
void Walker::walk_perhaps(const ShellPipeline& pipeline, bool after_failure) {
  if (output_ == nullptr) return walk_pipeline(pipeline);
  Output printed;
  Output* const listener = std::exchange(output_, &printed);
  walk_pipeline(pipeline);
  output_ = listener;
  output_->add_perhaps(printed, after_failure);
}

std::optional<std::string> Walker::substitute(const ShellList& list) {
  if (list.pipelines.empty()) return "";
  const std::size_t first = commands_.size();
  const Variables::Choice choice = variables_.pause_choice();
  const std::string by = std::exchange(run_by_, "");
  const std::string listened_by = std::exchange(listened_by_, "");
  const bool outer = std::exchange(once_, true);
  const bool background = std::exchange(background_, false);
  const bool naming = std::exchange(naming_, false);
  Output printed;
  Output* const listener = std::exchange(output_, &printed);
  walk_apart(list);
  output_ = listener;
  naming_ = naming;
  background_ = background;
  once_ = outer;
  listened_by_ = listened_by;
  run_by_ = by;
  variables_.resume_choice(choice);
  for (std::size_t i = first; i < commands_.size(); ++i) {
    commands_[i].once = commands_[i].once && outer;
    commands_[i].background = commands_[i].background || background;
    if (commands_[i].run_by.empty()) commands_[i].run_by = "$( )";
  }
  return choose_text(list, printed);
}

// What mktemp prints names a file or directory that nobody else uses.
std::optional<std::string> Walker::substitute_noted(const ShellList& list) {
  const std::size_t first = commands_.size();
  std::optional<std::string> text = substitute(list);
  // where a `cd` may have failed, the one command is seen in each directory
  const auto begin = commands_.begin() + static_cast<std::ptrdiff_t>(first);
  const bool alone = begin != commands_.end() && list.pipelines.size() == 1;
  expander_.note_temporary(alone && std::all_of(begin, commands_.end(), [](const auto& command) {
                             return prints_what_it_made(command) &&
                                    std::ranges::none_of(command.words, [](const SeenWord& word) {
                                      return !word.known() || word.text.starts_with("--dry") ||
                                             (word.text.starts_with('-') &&
                                              word.text.contains('u'));
                                    });
                           }));
  return text;
}

// One of the texts that a substitution may print. Each has its turn while choices are made.
std::optional<std::string> Walker::choose_text(const ShellList& list, const Output& printed) {
  const bool choosing = variables_.choosing();
  const std::vector<std::string> texts = choosing && naming_ ? printed.all() : printed.texts();
  if (texts.empty() || (texts.size() > 1 && !choosing)) return std::nullopt;
  const std::string name = "$(" + std::to_string(reinterpret_cast<std::uintptr_t>(&list));
  std::string text = texts.front();
  if (texts.size() > 1)
    text = texts[std::min(variables_.choose(name, texts.size()), texts.size() - 1)];
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

void Walker::meet_process(const PartDetail& detail) {
  const std::size_t first = commands_.size();
  SeenInput input{.kind = SeenInput::Kind::process};
  if (!detail.input) {  // >(command) reads what others write, and nobody here follows that
    const SeenInput outer = std::exchange(input_, {.kind = SeenInput::Kind::pipe});
    substitute(detail.list);
    input_ = outer;
    return;
  }
  if (std::optional<std::string> text = substitute(detail.list)) {
    input.text = std::make_shared<const std::string>(std::move(*text) + "\n");
  }
  input.producers = programs_since(first);
  processes_.push_back(std::move(input));
}

}  // namespace talaria::guard
