// Arithmetic and subscripts. In such a text a name stands for its value, which is evaluated in
// turn, and a[$(command)] runs the command, wherever the text comes from.
#include <algorithm>
#include <utility>

#include "policy/guard/run/arithmetic.h"
#include "policy/guard/run/walker.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

// = += <<= and the like, ++ and --; but not == != <= >=.
bool assigns(std::string_view text) {
  if (text.contains("++") || text.contains("--")) return true;
  for (std::size_t i = text.find('='); i != std::string_view::npos; i = text.find('=', i + 1)) {
    const char before = i > 0 ? text[i - 1] : '\0';
    const bool shifts = i > 1 && text[i - 2] == before;
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
    } else if (before != '!' && ((before != '<' && before != '>') || shifts)) {
      return true;
    }
  }
  return false;
}

// More than a number.
bool has_names(std::string_view text) {
  return text.contains('[') || std::ranges::any_of(text, is_name_start);
}

bool is_element(std::string_view name) {
  const std::size_t open = name.find('[');
  return open != std::string_view::npos && open > 0 && is_name_start(name.front()) &&
         std::ranges::all_of(name.substr(0, open), is_name_char);
}

}  // namespace

// A text whose substitutions bash carries out as if it stood between double quotes.
void Walker::expand_text(const std::string& text) {
  if (text.find_first_of("$`") == std::string::npos) return;
  if (depth_ >= kMaxDepth) {
    return say_unclear("commands nested too deeply",
                       "it runs text in text in text, too deep to follow");
  }
  budget_.spend(text.size());
  ReadState state;
  texts_.push_back(ScriptReader(text, state).read_document_body());
  if (!state.trouble.empty()) {
    return say_unclear("unreadable command text",
                       "the text cannot be read as bash would: " + state.trouble);
  }
  ++depth_;
  expander_.expand_whole(texts_.back());
  --depth_;
}

// What an arithmetic text runs, and what it may assign, which is not known any more.
void Walker::evaluate(const std::string& text) {
  if (!has_names(text)) return;
  budget_.spend(text.size());
  if (budget_.spent()) {
    return say_unclear("too much to follow", "its arithmetic is more than can be followed");
  }
  if (text.contains('[')) expand_text(text);
  const bool changes = assigns(text);
  for (std::size_t i = 0; i < text.size();) {
    if (!is_name_start(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_name_char(text[end])) ++end;
    const std::string name = text.substr(i, end - i);
    i = end;
    if (!variables_.has(name)) continue;
    evaluate_value(name);
    if (changes) variables_.forget(name);
  }
}

// What it assigns counts where that can be told.
void Walker::assign_numbers(const std::string& text) {
  const bool once = once_ && sure_ && calls_.empty();  // or another round would find another value
  const auto result =
      evaluate_arithmetic(text, [&](const std::string& name) -> std::optional<std::string> {
        return once ? expander_.number_text(name) : std::nullopt;
      });
  evaluate(text);
  if (!result) return;
  for (const auto& [name, value] : result->assigned) {
    variables_.set(name, {{{std::to_string(value)}}});
  }
}

// Each name once, however often it is met on the way.
void Walker::evaluate_value(const std::string& name) {
  if (!evaluated_.insert(name).second) return;
  if (evaluations_ >= kMaxDepth) {
    return say_unclear("commands nested too deeply", "its arithmetic is too deep to follow");
  }
  ++evaluations_;
  const ShellVariable variable = variables_.all(name);
  if (!variable.target.empty()) evaluate(variable.target);
  for (const Value& value : variable.values) {
    for (const SeenWord& item : value->items) {
      if (has_names(item.text)) evaluate(item.text);
    }
  }
  if (--evaluations_ == 0) evaluated_.clear();
}

// A name that may be one of an element.
void Walker::evaluate_name(const std::string& name) {
  if (is_element(name)) evaluate(name);
}

// `alone`: it is a command, no part of a loop.
void Walker::walk_arithmetic(const ShellWord& expression, bool alone) {
  std::vector<std::string> texts;
  each_choice([&] { texts.push_back(expander_.expand_whole(expression).text); });
  if (alone && texts.size() == 1) return assign_numbers(texts.front());
  for (const std::string& text : texts) evaluate(text);
}

void Walker::walk_condition(const ShellCommand& command) {
  std::vector<std::string> texts;
  each_choice([&] {
    std::vector<std::string> words;
    for (const ShellWord& word : command.words) words.push_back(expander_.expand_whole(word).text);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool compares = among(words[i], "-eq -ne -lt -le -gt -ge");
      if (compares && i > 0) texts.push_back(words[i - 1]);
      if ((compares || words[i] == "-v") && i + 1 < words.size()) texts.push_back(words[i + 1]);
    }
  });
  for (const std::string& text : texts) evaluate(text);
}

// What an assignment evaluates besides its value.
void Walker::evaluate_assignment(const ShellAssignment& assignment, const SeenWord& index,
                                 const ShellValue& value) {
  if (assignment.element) evaluate(index.text);
  const bool integer = integers_.contains(assignment.name);
  note_element(assignment, index, value);
  for (const SeenWord& item : value.items) {
    note_assigned(assignment.name, item);
    const bool subscript = assignment.array && item.text.starts_with('[');
    if (integer || subscript) evaluate(item.text);
  }
}

// declare 'a[…]=x', declare -i n=…, declare -a a='(…)', declare -n r='a[…]'
void Walker::evaluate_declaration(const SeenCommand& seen) {
  const bool integer = has_option_letter(seen, 'i');
  const bool refers = has_option_letter(seen, 'n');
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    const std::string& word = seen.words[i].text;
    if (word.starts_with('-')) continue;
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string name =
        word.substr(0, equals - (equals > 0 && word[equals - 1] == '+' ? 1 : 0));
    const std::string value = equals < word.size() ? word.substr(equals + 1) : "";
    evaluate_name(name);
    if (equals < word.size()) note_assigned(name, {value});
    if (integer) integers_.insert(name.substr(0, name.find('[')));
    if (integer || integers_.contains(name)) evaluate(value);
    if (refers) evaluate_name(value);
    if (value.starts_with('(')) expand_text(value);
  }
}

// Builtins that are given names of variables, or expressions.
void Walker::evaluate_operands(const SeenCommand& seen) {
  const std::string_view name = seen.word(0);
  if (among(name, "export declare typeset local readonly")) return evaluate_declaration(seen);
  if (name == "let") {
    for (std::size_t i = 1; i < seen.words.size(); ++i) assign_numbers(seen.words[i].text);
    return;
  }
  if (name == "test" || name == "[") {
    for (std::size_t i = 2; i < seen.words.size(); ++i) {
      if (seen.word(i - 1) == "-v") evaluate_name(seen.words[i].text);
    }
    return;
  }
  if (name == "exec") {  // exec {a[…]}<file
    for (const SeenWord& word : seen.words) {
      if (word.text.starts_with('{')) evaluate(word.text);
    }
  }
  if (!among(name, "unset printf read wait")) return;
  const bool integer = std::ranges::any_of(
      seen.words, [&](const SeenWord& w) { return integers_.contains(w.text); });
  for (const SeenWord& word : seen.words) {
    evaluate_name(word.text);
    if (integer && name == "printf") evaluate(word.text);
  }
  if (integer && name == "read" && seen.input.text) evaluate(*seen.input.text);
}

}  // namespace talaria::guard
