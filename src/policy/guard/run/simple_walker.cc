// Simple commands: what their words become, and what runs because of them.
#include <algorithm>
#include <ranges>
#include <utility>

#include "base/text.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/run/walker.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using RedirectKind = ShellRedirect::Kind;

constexpr std::size_t kMaxAliasText = 64 * 1024;

constexpr std::string_view kDeclaring = "declare typeset local export readonly";
constexpr std::string_view kSpecial =
    ": . source break continue eval exec exit export readonly return set shift times trap unset";

bool sets_watched(const SeenCommand& seen) {
  return std::ranges::any_of(
      seen.variables, [](const SeenAssignment& one) { return is_watched_variable(one.name); });
}

bool is_bare(const ShellWord& word) {
  return word.parts.size() == 1 && word.parts.front().kind == WordPart::Kind::text &&
         !word.parts.front().quoted;
}

// ([2]=a [0]=b)
bool has_subscript(const ShellWord& element) {
  const bool bare = !element.parts.empty() && element.parts.front().kind == WordPart::Kind::text &&
                    !element.parts.front().quoted;
  return bare && element.parts.front().text.starts_with('[');
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

SeenCommand Walker::expand_command(const ShellCommand& command) {
  SeenCommand seen;
  const std::size_t first = commands_.size();
  std::vector<SeenInput> outer = std::exchange(processes_, {});
  for (const ShellWord& word : command.words) {
    naming_ = seen.words.empty();
    expander_.expand(word, seen.words);
  }
  naming_ = false;
  seen.substituted = programs_since(first);
  seen.backquotes = !seen.substituted.empty() && has_backquotes(command);
  seen.input = input_;
  const Place where = place();
  seen.directory = where.directory;
  seen.from_start = where.from_start;
  expand_redirects(command, seen);
  seen.processes = std::exchange(processes_, std::move(outer));
  if (alias_end_ == &command) std::ranges::copy(alias_words_, std::back_inserter(seen.words));
  return seen;
}

void Walker::expand_redirects(const ShellCommand& command, SeenCommand& seen) {
  for (const ShellRedirect& redirect : command.redirects) {
    const ShellWord& word = redirect.document ? redirect.document->body : redirect.target;
    const std::size_t processes = processes_.size();
    SeenWord target = expander_.expand_whole(word);
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
    seen.redirects.push_back({kind, redirect.descriptor, std::move(target)});
  }
}

// Every value it may get.
void Walker::assign(const ShellAssignment& assignment) {
  const std::string& name = assignment.name;
  std::vector<Value> values;
  const bool all = each_choice([&] {
    naming_ = true;  // what a variable is may become the name of a command
    ShellValue value;
    if (assignment.append) {
      value = *variables_.look(name);
      budget_.spend_words(value.items.size());
    }
    const SeenWord index = expander_.expand_whole(assignment.index);
    bool known = !assignment.element && value.is_known();
    if (assignment.array) {
      value.array = true;
      for (const ShellWord& element : assignment.elements) {
        known = known && !has_subscript(element);
        expander_.expand(element, value.items);
      }
    } else {
      SeenWord more = expander_.expand_whole(assignment.value);
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
    evaluate_assignment(assignment, index, value);
    if (!known) {
      value = {};
      value.kind = ShellValue::Kind::unknown;
    }
    values.push_back(std::make_shared<const ShellValue>(std::move(value)));
  });
  naming_ = false;
  if (!all) values.clear();
  variables_.set_any(name, std::move(values));
  if (name == "POSIXLY_CORRECT") posix_ = true;
  if (sourced_) set_since_.insert(name);
}

// Runs the command with its assignments, which last no longer than it does.
void Walker::assign_all(const ShellCommand& command, const std::vector<SeenCommand>& possible,
                        const std::function<void()>& run_it) {
  const bool alone =
      std::ranges::all_of(possible, &std::vector<SeenWord>::empty, &SeenCommand::words);
  const bool never_alone =
      std::ranges::none_of(possible, &std::vector<SeenWord>::empty, &SeenCommand::words);
  const std::string_view name = possible.front().word(0);
  const bool declares = among(name, kDeclaring);
  const bool stays = posix_ && among(name, kSpecial);
  std::vector<std::pair<std::string, ShellVariable>> before;
  for (const ShellAssignment& assignment : command.assignments) {
    if (declares && assignment.array) {
      declare_name(possible.front(), assignment.name);
    } else if (!alone) {
      before.emplace_back(assignment.name, variables_.all(assignment.name));
    }
    assign(assignment);
  }
  run_it();
  for (auto& [variable, was] : std::views::reverse(before)) {
    const bool named =
        declares && std::ranges::any_of(possible.front().words, [&](const SeenWord& word) {
          return word.text.starts_with(variable);
        });
    if (!never_alone || stays || named) {
      variables_.put_too(variable, std::move(was));
    } else {
      variables_.put(variable, std::move(was));
    }
  }
}

void Walker::run_simple(const ShellCommand& command) {
  std::vector<SeenCommand> possible;
  const bool all = each_choice([&] { possible.push_back(expand_command(command)); });
  const auto matters = [&](const SeenCommand& seen) {
    if (!seen.redirects.empty() || seen.words.empty()) return true;
    const std::string_view name = base_name(seen.word(0));
    return !among(name, "echo test [ true : ls cat grep") ||
           !find_functions(seen).functions.empty();
  };
  if (!all && std::ranges::any_of(possible, matters)) {
    say_unclear("too much to follow", "its words have more values than can be followed",
                &possible.front());
  }
  if (sourced_) doubt_sourced(command);
  const Variables::Choice outer = variables_.pause_choice();
  const auto run_it = [&] {
    note_variables(command, possible);
    each_way(possible.size(), [&](std::size_t i) { run_possible(command, possible[i]); });
  };
  if (command.assignments.empty()) {
    run_it();
  } else {
    assign_all(command, possible, run_it);
  }
  variables_.resume_choice(outer);
  status_ = possible.size() == 1 ? status_of(command, possible.front()) : Status::unknown;
}

// What the assignments in front of it set for it, and what runs because of that.
void Walker::note_variables(const ShellCommand& command, std::vector<SeenCommand>& possible) {
  for (const ShellAssignment& assignment : command.assignments) {
    if (!is_watched_variable(assignment.name) && !is_run_variable(assignment.name)) continue;
    if (possible.front().variables.size() >= kMaxInner) {
      say_unclear("too much to follow", "it sets more variables than can be followed");
      break;
    }
    for (const Value& value : variables_.all(assignment.name).values) {
      const bool one = value->is_known() && value->items.size() == 1;
      const SeenWord word = one ? value->items.front() : SeenWord{std::string(1, kUnknownPiece)};
      for (SeenCommand& seen : possible) seen.variables.push_back({assignment.name, word});
    }
  }
  std::vector<InnerCommand> inner;
  add_variable_commands(possible.front().variables, inner);
  for (const InnerCommand& run : inner) {
    // one that is not set for a command may never be exported
    if (!possible.front().words.empty() || run.text.known()) {
      run_text(run.text, {}, possible.front(), elsewhere_);
    }
  }
}

// One that always succeeds, or fails.
Walker::Status Walker::status_of(const ShellCommand& command, const SeenCommand& seen) {
  if (!seen.redirects.empty()) return Status::unknown;
  if (seen.words.empty()) {
    const bool plain = std::ranges::none_of(command.assignments, assigns_output);
    return plain && command.words.empty() ? Status::success : Status::unknown;
  }
  const std::string& name = seen.words.front().text;
  if (!among(name, "true : echo false") || !find_functions(seen).functions.empty() ||
      !find_aliases(command, 0).texts.empty()) {
    return Status::unknown;
  }
  return name == "false" ? Status::failure : Status::success;
}

void Walker::run_possible(const ShellCommand& command, const SeenCommand& seen) {
  budget_.spend_words(4);
  if (seen.words.empty()) {
    if (!seen.redirects.empty() || sets_watched(seen)) commands_.push_back(seen);
    if (run_by_.empty()) print(seen);
    note_files(seen);
    return;
  }
  const Aliases aliases = find_aliases(command, 0);
  const std::size_t count = aliases.texts.size() + (aliases.plain ? 1 : 0);
  each_way(count, [&](std::size_t i) {
    if (i < aliases.texts.size()) return run_alias(command, seen, aliases.texts[i]);
    run(seen);
    run_builtin(seen);
  });
}

// What the word is an alias for.
Walker::Aliases Walker::find_aliases(const ShellCommand& command, std::size_t at) {
  Aliases aliases;
  if (at >= command.words.size() || !is_bare(command.words[at])) return aliases;
  const std::string& name = command.words[at].parts.front().text;
  const bool changed = variables_.has(alias_key(name));
  const auto given = context_.session.aliases.find(name);
  if (given != context_.session.aliases.end()) {
    aliases.texts.push_back(given->second);
    aliases.plain = changed || no_aliases_;
  }
  // one of this text counts from its next line on, where aliases are expanded at all
  for (const Value& value : variables_.all(alias_key(name)).values) {
    if (value->is_known() && !value->items.empty()) {
      aliases.texts.push_back(value->items.front().text);
    }
  }
  if (aliases.texts.empty()) return aliases;
  const bool in_use = std::ranges::find(aliases_in_use_, name) != aliases_in_use_.end() ||
                      aliases_in_use_.size() > static_cast<std::size_t>(kMaxDepth);
  return in_use ? Aliases{} : aliases;
}

// An alias counts where the name stands without quotes. Its text is followed by the other words.
void Walker::run_alias(const ShellCommand& command, const SeenCommand& seen, std::string text) {
  const std::string& name = command.words.front().parts.front().text;
  names_.insert(name);
  std::size_t at = 1;
  while (text.ends_with(' ') || text.ends_with('\t')) {  // then the next word may be one, too
    if (at < command.words.size() && is_bare(command.words[at])) {
      names_.insert(command.words[at].parts.front().text);
    }
    const Aliases next = find_aliases(command, at);
    if (next.texts.empty() || text.size() > kMaxAliasText) break;
    if (next.texts.size() > 1) {
      say_unclear("alias is not known", "one of its words is one alias or another", &seen);
    }
    text += next.texts.front();
    ++at;
  }
  if (text.contains(kUnknownPiece)) {
    return say_unclear("text that is not known is run as commands",
                       "the alias " + name + " is known only when it runs", &seen);
  }
  budget_.spend(text.size() + 16 * Budget::kWordBytes);
  scripts_.push_back(std::make_unique<Script>(read_script(text)));
  const Script& script = *scripts_.back();
  if (!script.trouble.empty() || script.list.pipelines.empty()) {
    return say_unclear("unreadable command text", "the alias " + name + " cannot be read", &seen);
  }
  const ShellCommand* const outer_end = alias_end_;
  std::vector<SeenWord> outer_words = std::move(alias_words_);
  alias_end_ = &script.list.pipelines.back().commands.back();
  alias_words_.assign(seen.words.begin() + static_cast<std::ptrdiff_t>(at), seen.words.end());
  aliases_in_use_.push_back(name);
  const SeenInput outer_input = std::exchange(input_, seen.input);
  walk(script.list);
  input_ = outer_input;
  aliases_in_use_.pop_back();
  alias_end_ = outer_end;
  alias_words_ = std::move(outer_words);
}

}  // namespace talaria::guard
