// What was given names before and counts later: aliases of git, variables that programs run, and
// what a sourced file may have changed.
#include <algorithm>
#include <utility>

#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/walker.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::string_view kAlias = "alias.";

std::string git_alias_key(std::string_view name) { return "git alias " + std::string(name); }

// Scripts that are known for what they do.
bool is_usual_source(std::string_view path) {
  return path.ends_with("bin/activate") || path.ends_with(".cargo/env") ||
         among(base_name(path),
               "nvm.sh os-release profile bashrc .bashrc .profile conda.sh sdkman-init.sh asdf.sh "
               "rvm bash_completion setvars.sh .env");
}

}  // namespace

// git config alias.p push
void Walker::note_git(const SeenCommand& seen) {
  const std::size_t verb = git_verb_at(seen);
  if (seen.word(verb) != "config") return;
  for (std::size_t i = verb + 1; i + 1 < seen.words.size(); ++i) {
    const std::string key = lower_case(seen.word(i));
    if (!key.starts_with(kAlias)) continue;
    const std::string name = git_alias_key(std::string_view(key).substr(kAlias.size()));
    variables_.set(name, {{seen.words[i + 1]}});
  }
}

void Walker::run_git_alias(const SeenCommand& seen) {
  const std::size_t verb = git_verb_at(seen);
  if (verb >= seen.words.size()) return;
  const std::string key = git_alias_key(lower_case(seen.word(verb)));
  if (!variables_.has(key)) return;
  std::vector<InnerCommand> inner;
  for (const Value& value : variables_.all(key).values) {
    if (!value->is_known() || value->items.empty()) continue;
    const std::string& text = value->items.front().text;
    std::vector<SeenWord> rest = words_from(seen, verb + 1);
    if (text.starts_with('!')) {
      InnerCommand run = talaria::guard::run_text({text.substr(1) + " \"$@\""});
      run.words = std::move(rest);
      inner.push_back(std::move(run));
      continue;
    }
    InnerCommand run{.words = {{"git"}}};
    for (std::string_view words = text; !words.empty();) {
      if (const std::string_view word = next_word(words); !word.empty()) {
        run.words.push_back({std::string(word)});
      }
    }
    std::ranges::move(rest, std::back_inserter(run.words));
    inner.push_back(std::move(run));
  }
  run_all(std::move(inner), seen);
}

// A variable whose value some program runs: what it may be counts from now on.
void Walker::note_exported(const std::string& name) {
  if (!is_run_variable(name) && !is_watched_variable(name) && name != "PATH") return;
  SeenCommand by;
  by.words = {{"export"}, {name}};
  by.program = "export";
  std::vector<SeenAssignment> given;
  for (const Value& value : variables_.all(name).values) {
    if (value->kind == ShellValue::Kind::unset || value->kind == ShellValue::Kind::outside)
      continue;
    const bool one = value->is_known() && value->items.size() == 1;
    given.push_back({name, one ? value->items.front() : SeenWord{std::string(1, kUnknownPiece)}});
    if (one) note_assigned(name, given.back().value);
    if (given.size() >= kMaxInner) break;
  }
  if (given.empty()) return;
  const bool unknown =
      std::ranges::any_of(given, [](const SeenAssignment& one) { return !one.value.known(); });
  if (unknown && !is_run_variable(name)) {
    say_unclear("variable is not known", name + " changes what programs run", &by);
  }
  std::vector<InnerCommand> inner;
  add_variable_commands(given, inner);
  for (const InnerCommand& run : inner) run_text(run.text, {}, by, elsewhere_);
  SeenCommand set;  // for the rules about such variables
  set.variables = std::move(given);
  if (is_watched_variable(name)) commands_.push_back(std::move(set));
}

// printf -v NAME format …
void Walker::print_into(const SeenCommand& seen) {
  const std::string name(seen.word(2).substr(0, seen.word(2).find('[')));
  SeenCommand prints = seen;
  prints.program = "printf";
  prints.once = true;  // a loop sets it anew each time
  prints.words.erase(prints.words.begin() + 1,
                     prints.words.begin() + std::min<std::ptrdiff_t>(3, std::ssize(prints.words)));
  const std::optional<std::string> text = printed_text(prints);
  if (text && name == seen.word(2)) {
    variables_.set(name, {{{*text}}});
  } else {
    variables_.forget(name);
  }
  note_exported(name);
}

// A file whose text is not known may have set any variable.
void Walker::note_sourced(const SeenCommand& seen, std::size_t at) {
  if (at >= seen.words.size() || is_usual_source(seen.word(at))) return;
  const std::vector<const WrittenFile*> files = written_.find(file_path(seen.words[at].text, seen));
  const bool known = !files.empty() && std::ranges::all_of(files, [](const WrittenFile* file) {
    return std::ranges::all_of(file->contents,
                               [](const FileContent& one) { return one.text != nullptr; });
  });
  if (known || !seen.processes.empty()) return;
  sourced_ = true;
  set_since_.clear();
}

// The name of a command that is a variable which was set before that.
void Walker::doubt_sourced(const ShellCommand& command) {
  if (command.words.empty()) return;
  const bool evaluates = literal_name(command) == "eval";
  const std::size_t count = evaluates ? command.words.size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    for (const WordPart& part : command.words[i].parts) {
      if (part.kind != WordPart::Kind::variable || !variables_.has(part.text)) continue;
      if (set_since_.contains(part.text) || !is_name_start(part.text.front())) continue;
      say_unclear("variable is not known", "a file that was sourced may have changed " + part.text);
    }
  }
}

}  // namespace talaria::guard
