#include "policy/guard/run/commands.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/option_table.h"
#include "policy/guard/run/walk.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using RedirectKind = ShellRedirect::Kind;
using Status = Situation::Status;

constexpr std::size_t kMaxAliasText = 64 * 1024;

bool sets_watched(const SeenCommand& seen) {
  return std::ranges::any_of(
      seen.variables, [](const SeenAssignment& one) { return is_watched_variable(one.name); });
}

bool begins_bare(const ShellWord& word) {
  return !word.parts.empty() && word.parts.front().kind == WordPart::Kind::text &&
         !word.parts.front().quoted;
}
bool is_bare(const ShellWord& word) { return word.parts.size() == 1 && begins_bare(word); }

// ([2]=a [0]=b)
bool has_subscript(const ShellWord& element) {
  return begins_bare(element) && element.parts.front().text.starts_with('[');
}

bool assigns_output(const ShellAssignment& assignment) {
  const auto runs = [](const WordPart& part) { return part.kind != WordPart::Kind::text; };
  return assignment.array || assignment.element ||
         std::ranges::any_of(assignment.value.parts, runs);
}

bool has_backquotes(const ShellCommand& command) {
  return std::ranges::any_of(command.words, [](const ShellWord& word) {
    return std::ranges::any_of(
        word.parts, [](const WordPart& part) { return part.detail && part.detail->backquotes; });
  });
}

}  // namespace

void Commands::meet_process(const PartDetail& detail) {
  if (std::optional<SeenInput> input = walk_.substitutions.process(detail)) {
    processes_.push_back(std::move(*input));
  }
}

SeenCommand Commands::expand(const ShellCommand& command) {
  SeenCommand seen;
  const std::size_t first = walk_.findings.count();
  Kept<std::vector<SeenInput>> outer(processes_, {});
  seen.words.reserve(command.words.size());
  for (const ShellWord& word : command.words) {
    naming_ = seen.words.empty();
    walk_.expander.expand(word, seen.words);
  }
  naming_ = false;
  seen.substituted = walk_.findings.programs_from(first);
  seen.backquotes = !seen.substituted.empty() && has_backquotes(command);
  seen.input = walk_.io.input();
  Place where = walk_.state.place();
  seen.directory = std::move(where.directory);
  seen.from_start = where.from_start;
  seen.lost = where.lost;
  expand_redirects(command, seen);
  seen.processes = std::move(processes_);
  if (alias_end_ == &command) std::ranges::copy(alias_words_, std::back_inserter(seen.words));
  return seen;
}

void Commands::expand_redirects(const ShellCommand& command, SeenCommand& seen) {
  for (const ShellRedirect& redirect : command.redirects) {
    const ShellWord& word = redirect.document ? redirect.document->body : redirect.target;
    const std::size_t processes = processes_.size();
    SeenWord target = walk_.expander.expand_whole(word);
    const bool document =
        redirect.kind == RedirectKind::here_document || redirect.kind == RedirectKind::here_string;
    const bool reads = document || redirect.kind == RedirectKind::input ||
                       (redirect.kind == RedirectKind::duplicate && redirect.descriptor != 1 &&
                        redirect.descriptor != 2);
    if (reads) redirect_input(redirect, target, processes_.size() > processes, seen);
    if (document) continue;
    RedirectKind kind = redirect.kind;
    if (kind == RedirectKind::duplicate && redirect.descriptor == 1 &&
        target.text.find_first_not_of("0123456789-") != std::string::npos) {
      kind = RedirectKind::output;  // >&file
    }
    const std::string path = path_in(seen.directory, target.text);
    seen.redirects.push_back({kind, redirect.descriptor, std::move(target)});
    if (auto real = walk_.state.links().target_of(path, true)) {
      seen.redirects.push_back({kind, redirect.descriptor, {std::move(*real)}});
    }
  }
}

// Where a redirection of input leads, for the command and what it runs.
void Commands::redirect_input(const ShellRedirect& redirect, const SeenWord& target, bool process,
                              SeenCommand& seen) {
  SeenInput input{.kind = SeenInput::Kind::file};
  if (redirect.kind == RedirectKind::here_document || redirect.kind == RedirectKind::here_string) {
    input = text_input(std::make_shared<const std::string>(target.text));
  } else if (redirect.kind == RedirectKind::duplicate) {
    const int from = descriptor_of("/dev/fd/" + target.text);
    if (target.text != "-") input = from >= 0 ? walk_.io.input_of(seen, from) : unknown_input();
  } else if (process) {
    input = processes_.back();  // < <(command) is a pipe in other words
  } else if (const int from = descriptor_of(target.text); from >= 0) {
    input = walk_.io.input_of(seen, from);
  } else if (std::optional<SeenInput> wrote = walk_.files.input_from(target.text)) {
    input = std::move(*wrote);
  }
  if (redirect.descriptor == 0) {
    seen.input = std::move(input);
  } else {
    seen.descriptors[redirect.descriptor] = std::move(input);
  }
}

// --- assignments

// Every value it may get.
void Commands::assign(const ShellAssignment& assignment) {
  Variables& variables = walk_.state.variables();
  const std::string& name = assignment.name;
  std::vector<Value> values;
  const bool all = walk_.flow.each_choice([&] {
    naming_ = true;  // what a variable is may become the name of a command
    ShellValue value;
    if (assignment.append || assignment.element) {
      value = *variables.look(name);
      if (assignment.element && !value.is_known()) value = {};
      walk_.findings.budget().spend_words(value.items.size());
    }
    const SeenWord index = walk_.expander.expand_whole(assignment.index);
    bool known = value.is_known();
    if (assignment.element) {  // it may replace one
      value.array = value.keyed = true;
      value.items.push_back(walk_.expander.expand_whole(assignment.value));
    } else if (assignment.array) {
      value.array = true;
      for (const ShellWord& element : assignment.elements) {
        const std::size_t before = value.items.size();
        walk_.expander.expand(element, value.items);
        if (!has_subscript(element)) continue;
        value.keyed = true;
        for (std::size_t i = before; i < value.items.size(); ++i) {
          std::string& text = value.items[i].text;
          if (const std::size_t end = text.find("]="); end != text.npos) text.erase(0, end + 2);
        }
      }
    } else {
      SeenWord more = walk_.expander.expand_whole(assignment.value);
      if (value.items.empty()) {
        value.items.push_back(std::move(more));
      } else {
        SeenWord& first = value.items.front();
        first.text += more.text;
        first.several = first.several || more.several;
        first.pattern = first.pattern || more.pattern;
        known = known && first.text.size() < kMaxAliasText;
      }
    }
    walk_.builtins.note_assignment(assignment, index, value);
    values.push_back(known ? std::make_shared<const ShellValue>(std::move(value))
                           : Variables::unknown_value());
  });
  naming_ = false;
  if (!all) values.clear();
  variables.set_any(name, values);
}

// Runs the command with its assignments, which last no longer than it does.
template <class RunIt>
void Commands::assign_all(const ShellCommand& command, const std::vector<SeenCommand>& possible,
                          const RunIt& run_it) {
  Variables& variables = walk_.state.variables();
  const auto is_empty = [](const SeenCommand& seen) { return seen.words.empty(); };
  const bool alone = std::ranges::all_of(possible, is_empty);
  const bool never_alone = std::ranges::none_of(possible, is_empty);
  const std::string_view name = possible.front().word(0);
  const bool declares = among(name, kDeclaring);
  std::vector<std::pair<std::string, ShellVariable>> before;
  for (const ShellAssignment& assignment : command.assignments) {
    if (declares && assignment.array) {
      walk_.state.declare_name(possible.front(), assignment.name);
    } else if (!alone) {
      before.emplace_back(assignment.name, variables.all(assignment.name));
    }
    assign(assignment);
  }
  run_it();
  for (auto& [variable, was] : std::views::reverse(before)) {
    const bool named =
        declares && std::ranges::any_of(possible.front().words, [&](const SeenWord& word) {
          return word.text.starts_with(variable);
        });
    if (!never_alone || named) {
      variables.put_too(variable, std::move(was));
    } else {
      variables.put(variable, std::move(was));
    }
  }
}

// What the assignments in front of it set for it, and what runs because of that.
void Commands::note_variables(const ShellCommand& command, std::vector<SeenCommand>& possible) {
  for (const ShellAssignment& assignment : command.assignments) {
    // by which Talaria finds its home
    const bool home = (assignment.name == "HOME" || assignment.name.starts_with("XDG_")) &&
                      among(base_name(possible.front().word(0)), "talaria hermes");
    const bool counts = home || is_watched_variable(assignment.name);
    if (!counts && !is_run_variable(assignment.name)) continue;
    if (possible.front().variables.size() >= kMaxInner) {
      walk_.findings.say_too_much("it sets more variables than can be followed");
      break;
    }
    for (const Value& value : walk_.state.variables().all(assignment.name).values) {
      const bool one = value->is_known() && value->items.size() == 1;
      const SeenWord word = one ? value->items.front() : SeenWord{std::string(1, kUnknownPiece)};
      if (among(assignment.name, kToolVariables) && !word.text.contains(' ')) continue;
      for (SeenCommand& seen : possible) seen.variables.push_back({assignment.name, word});
    }
  }
  std::vector<InnerCommand> inner;
  add_variable_commands(possible.front().variables, inner);
  for (const InnerCommand& run : inner) {
    // one that is not set for a command may never be exported
    if (!possible.front().words.empty() || run.text.known()) {
      walk_.programs.run_text(run.text, {}, possible.front());
    }
  }
}

// --- running

void Commands::run(const ShellCommand& command) {
  std::vector<SeenCommand> possible;
  const bool all = walk_.flow.each_choice([&] { possible.push_back(expand(command)); });
  const auto matters = [&](const SeenCommand& seen) {
    if (!seen.redirects.empty() || seen.words.empty()) return true;
    return !among(seen.word(0), "echo test [ true : ls cat grep") ||
           !walk_.state.functions_of(seen).functions.empty();
  };
  if (!all && std::ranges::any_of(possible, matters)) {
    walk_.findings.say_too_much("its words have more values than can be followed",
                                &possible.front());
  }
  Variables& variables = walk_.state.variables();
  const Variables::Choice outer = variables.pause_choice();
  const auto run_it = [&] {
    if (!command.assignments.empty()) note_variables(command, possible);
    walk_.flow.each_way(possible.size(),
                        [&](std::size_t i) { run_possible(command, possible[i]); });
  };
  if (command.assignments.empty()) {
    run_it();
  } else {
    assign_all(command, possible, run_it);
  }
  variables.resume_choice(outer);
  walk_.now.status = possible.size() == 1 ? status_of(command, possible.front()) : Status::unknown;
}

// One that always succeeds, or fails.
Status Commands::status_of(const ShellCommand& command, const SeenCommand& seen) {
  if (!seen.redirects.empty()) return Status::unknown;
  if (seen.words.empty()) {
    const bool plain = std::ranges::none_of(command.assignments, assigns_output);
    return plain && command.words.empty() ? Status::success : Status::unknown;
  }
  const std::string& name = seen.words.front().text;
  bool plain = true;
  if (!among(name, "true : echo false") || !walk_.state.functions_of(seen).functions.empty() ||
      !aliases(command, 0, plain).empty()) {
    return Status::unknown;
  }
  return name == "false" ? Status::failure : Status::success;
}

void Commands::run_possible(const ShellCommand& command, const SeenCommand& seen) {
  walk_.findings.budget().spend_words(4);
  if (seen.words.empty()) {
    if (!seen.redirects.empty() || sets_watched(seen)) walk_.findings.add(seen);
    if (walk_.now.run_by.empty()) walk_.io.print(seen);
    return walk_.files.note(seen);
  }
  bool plain = true;
  const std::vector<std::string> texts = aliases(command, 0, plain);
  walk_.flow.each_way(texts.size() + (plain ? 1 : 0), [&](std::size_t i) {
    if (i < texts.size()) return run_alias(command, seen, texts[i]);
    walk_.programs.run(seen);
  });
}

// What the word may be an alias for. `plain`: or it is none.
std::vector<std::string> Commands::aliases(const ShellCommand& command, std::size_t at,
                                           bool& plain) const {
  plain = true;
  if (at >= command.words.size() || !is_bare(command.words[at])) return {};
  const std::string& name = command.words[at].parts.front().text;
  ShellState::Aliases found = walk_.state.aliases_of(name);
  const bool in_use = std::ranges::find(aliases_in_use_, name) != aliases_in_use_.end() ||
                      aliases_in_use_.size() > static_cast<std::size_t>(kMaxDepth);
  if (found.texts.empty() || in_use) return {};
  plain = found.plain;
  return std::move(found.texts);
}

// An alias counts where the name stands without quotes. Its text is followed by the other words.
void Commands::run_alias(const ShellCommand& command, const SeenCommand& seen, std::string text) {
  const std::string& name = command.words.front().parts.front().text;
  walk_.findings.note_name(name);
  std::size_t at = 1;
  while (text.ends_with(' ') || text.ends_with('\t')) {  // then the next word may be one, too
    if (at < command.words.size() && is_bare(command.words[at])) {
      walk_.findings.note_name(command.words[at].parts.front().text);
    }
    bool plain = true;
    const std::vector<std::string> next = aliases(command, at, plain);
    if (next.empty() || text.size() > kMaxAliasText) break;
    if (next.size() > 1) {
      walk_.findings.say_unclear("alias is not known", "one of its words is one alias or another",
                                 &seen);
    }
    text += next.front();
    ++at;
  }
  if (text.contains(kUnknownPiece)) {
    return walk_.findings.say_unclear("text that is not known is run as commands",
                                      "the alias " + name + " is known only when it runs", &seen);
  }
  walk_.findings.budget().spend(text.size() + 16 * Budget::kWordBytes);
  const Script& script = walk_.state.read(text);
  if (!script.trouble.empty() || script.list.pipelines.empty()) {
    return walk_.findings.say_unclear("unreadable command text",
                                      "the alias " + name + " cannot be read", &seen);
  }
  const Kept<const ShellCommand*> end(alias_end_, &script.list.pipelines.back().commands.back());
  const Kept<std::vector<SeenWord>> words(
      alias_words_, {seen.words.begin() + static_cast<std::ptrdiff_t>(at), seen.words.end()});
  const Io::Scope scope(walk_.io, true);
  walk_.io.set_input(seen.input);
  aliases_in_use_.push_back(name);
  walk_.flow.walk(script.list);
  aliases_in_use_.pop_back();
}

}  // namespace talaria::guard
