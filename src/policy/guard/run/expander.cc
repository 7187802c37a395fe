#include "policy/guard/run/expander.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "base/secret_name.h"
#include "policy/guard/run/arithmetic.h"
#include "policy/guard/run/braces.h"
#include "policy/guard/run/parameter.h"
#include "policy/guard/run/tilde.h"
#include "policy/guard/run/word_fields.h"
#include "policy/guard/syntax/script_reader.h"

namespace talaria::guard {
namespace {

using PartKind = WordPart::Kind;

bool is_name(std::string_view text) {
  return !text.empty() && text.front() != '-' &&
         std::ranges::all_of(text, [](char c) { return std::isalnum(c) != 0 || c == '_'; });
}

Value make_value(ShellValue value) { return std::make_shared<const ShellValue>(std::move(value)); }

const Value kUnsetValue = make_value({.kind = ShellValue::Kind::unset});
const Value kUnknownValue = make_value({.kind = ShellValue::Kind::unknown});

constexpr std::string_view kUsualPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

constexpr std::size_t kMaxIndex = 100'000;
constexpr std::size_t kMaxElements = 16;           // of an array any of which may be meant
constexpr std::size_t kMaxValueBytes = 64 * 1024;  // longer ones are not known where they are used

// It is known, or known not to be.
bool is_told(const ShellValue& value) {
  return value.kind == ShellValue::Kind::known || value.kind == ShellValue::Kind::unset;
}

// ${name}, which is $name.
bool is_plain(const PartDetail& detail) {
  return detail.operation.empty() && detail.index.empty() && !detail.length && !detail.indirect;
}

WordParts all_parts(const ShellWord& word) {
  WordParts parts;
  for (const WordPart& part : word.parts) parts.push_back(&part);
  return parts;
}

// It may be several words, or none.
bool is_loose(const SeenWord& word) { return word.several || word.pattern; }

}  // namespace

// What the variables of build files name, unless somebody says otherwise.
std::string_view customary_tool(std::string_view variable) {
  struct Tool {
    std::string_view variable;
    std::string_view name;
  };
  static constexpr Tool kTools[] = {
      {"CC", "cc"},           {"CXX", "c++"},       {"LD", "ld"},          {"AR", "ar"},
      {"MAKE", "make"},       {"CMAKE", "cmake"},   {"PYTHON", "python3"}, {"PYTHON3", "python3"},
      {"PIP", "pip"},         {"PYTEST", "pytest"}, {"NODE", "node"},      {"NPM", "npm"},
      {"CARGO", "cargo"},     {"GO", "go"},         {"JAVA", "java"},      {"DOCKER", "docker"},
      {"KUBECTL", "kubectl"}, {"SUDO", "sudo"},
  };
  const auto* const found = std::ranges::find(kTools, variable, &Tool::variable);
  return found == std::end(kTools) ? std::string_view() : found->name;
}

Expander::Expander(Variables& variables, Budget& budget, std::string home,
                   const shell::NameMap& session_variables, Outside& outside)
    : variables_(variables),
      budget_(budget),
      home_(std::move(home)),
      session_variables_(session_variables),
      outside_(outside) {}

std::string Expander::separators() {
  const Value set = variables_.look("IFS");
  if (set->kind == ShellValue::Kind::outside) {
    const auto given = session_variables_.find("IFS");
    return given == session_variables_.end() ? " \t\n" : given->second;
  }
  if (!set->is_known() || set->items.empty()) return " \t\n";
  return set->items.front().text;
}

// Most words are text and nothing else.
bool Expander::expand_simple(const ShellWord& word, std::vector<SeenWord>& words) const {
  if (word.parts.size() != 1 || word.parts.front().kind != PartKind::text) return false;
  const WordPart& part = word.parts.front();
  if (!part.quoted && part.text.find_first_of("~{") != std::string::npos) return false;
  budget_.spend(part.text.size() + Budget::kWordBytes);
  words.push_back({part.text, !part.quoted && has_pattern(part.text)});
  return true;
}

void Expander::expand(const ShellWord& word, std::vector<SeenWord>& words) {
  if (expand_simple(word, words)) return;
  Fields fields{words, budget_, true, separators()};
  std::deque<WordPart> made;
  std::vector<WordParts> choices;
  if (!may_have_braces(word)) {
    choices = {all_parts(word)};
  } else if (!budget_.spent()) {
    choices = expand_braces(word, made);
  }
  if (choices.empty()) fields.add_unknown(false);
  for (const WordParts& parts : choices) {
    if (choices.size() > 1) budget_.spend_words(parts.size());
    expand_parts(parts, fields);
    fields.finish();
  }
  fields.finish();
}

SeenWord Expander::expand_whole(const ShellWord& word) {
  std::vector<SeenWord> words;
  Fields fields{words, budget_, false, ""};
  expand_parts(all_parts(word), fields);
  fields.finish();
  if (words.empty()) return {};
  SeenWord whole = std::move(words.front());
  for (std::size_t i = 1; i < words.size(); ++i) whole.text += " " + words[i].text;
  whole.several = false;
  return whole;
}

void Expander::expand_parts(std::span<const WordPart* const> parts, Fields& fields) {
  bool first = true;
  for (const WordPart* part : parts) {
    switch (part->kind) {
      case PartKind::text:
        expand_text(*part, first, fields);
        break;
      case PartKind::variable:
        expand_variable(*part, fields);
        break;
      case PartKind::command:
        expand_output(*part, parts.size() == 1, fields);
        break;
      case PartKind::arithmetic:
        expand_arithmetic(*part->detail, fields);
        break;
      case PartKind::process:
        outside_.process(*part->detail);
        fields.add("/dev/fd/");
        fields.add_unknown(true);
        break;
    }
    first = false;
    if (budget_.spent()) return fields.add_unknown(false);
  }
}

// $(…)
void Expander::expand_output(const WordPart& part, bool whole, Fields& fields) {
  const Printed printed = outside_.output(part.detail->list);
  if (!printed.text && !printed.paths.empty() && fields.takes_listed()) {
    fields.add_listed(printed.paths, part.quoted);
  } else if (!printed.text) {
    fields.add_unknown(part.quoted);
    fields.current.temporary = printed.temporary && whole;
  } else if (part.quoted) {
    fields.add(*printed.text);
  } else {
    fields.add_split({*printed.text, false});
  }
}

void Expander::expand_arithmetic(const PartDetail& detail, Fields& fields) {
  const std::string text = expand_whole(detail.argument).text;
  const auto sum = compute_sum(text, [&](std::string_view name) -> std::optional<std::string> {
    const Value value = value_of(std::string(name));
    if (value->kind == ShellValue::Kind::unset) return "0";
    const bool one = value->is_known() && value->items.size() == 1;
    return one ? std::optional(value->items.front().text) : std::nullopt;
  });
  outside_.evaluate(text);
  if (sum) return fields.add(std::to_string(*sum));
  // a number that is known but for how it is written, and may be less than none
  const bool constant = std::ranges::none_of(text, is_name_start) && !text.contains(kUnknownPiece);
  if (constant && text.find_first_of("-~") != std::string::npos) fields.add("-");
  fields.add_unknown(true);
}

// A tilde at the start of `text` stands for a directory.
std::string Expander::expand_tilde(std::string_view text) {
  const Tilde tilde = read_tilde(text);
  const std::string rest(tilde.rest);
  if (tilde.stacked) return kUnknownPiece + rest;
  if (tilde.variable.empty()) return std::string(text);
  const Value value = value_of(std::string(tilde.variable));
  if (value->kind == ShellValue::Kind::unset && tilde.variable == "HOME") return home_ + rest;
  const bool known = value->is_known() && value->items.size() == 1;
  return (known ? value->items.front().text : std::string(1, kUnknownPiece)) + rest;
}

void Expander::expand_text(const WordPart& part, bool first, Fields& fields) {
  if (part.quoted) return fields.add(part.text);
  fields.current.pattern = fields.current.pattern || has_pattern(part.text);
  if (first && part.text.starts_with('~')) return fields.add(expand_tilde(part.text));
  const std::size_t equals = part.text.find("=~");
  if (first && equals != std::string::npos &&
      is_name(std::string_view(part.text).substr(0, equals))) {
    fields.add(part.text.substr(0, equals + 1));
    return fields.add(expand_tilde(std::string_view(part.text).substr(equals + 1)));
  }
  fields.add(part.text);
}

// $1, $2, …
Value Expander::argument(const std::string& number) {
  const Value all = variables_.look("@");
  if (!all->is_known()) return kUnknownValue;
  const std::size_t at =
      number.size() > 5 ? kMaxIndex : static_cast<std::size_t>(std::atoi(number.c_str()));
  for (std::size_t i = 0; i < at && i < all->items.size(); ++i) {
    if (is_loose(all->items[i]) && i + 1 < at) return kUnknownValue;
  }
  if (at == 0) return make_value({{{"bash"}}});  // ${00}
  if (at <= all->items.size()) return make_value({{all->items[at - 1]}});
  const bool loose = !all->items.empty() && is_loose(all->items.back());
  return loose ? kUnknownValue : kUnsetValue;
}

Value Expander::value_of(const std::string& name) {
  if (budget_.spent()) return kUnknownValue;
  if (name == "@" || name == "*") return variables_.look("@");
  if (name == "#") {
    const Value all = variables_.look("@");
    if (!all->is_known() || std::ranges::any_of(all->items, is_loose)) return kUnknownValue;
    return make_value({{{std::to_string(all->items.size())}}});
  }
  if (name != "0" && is_digits(name)) return argument(name);
  Value value = variables_.look(name);
  if (value->kind != ShellValue::Kind::outside) return value;
  if (name == "0") return make_value({{{"bash"}}});
  if (name == "HOME") note_outside(name);
  if (name == "HOME") return make_value({{{home_}}});
  if (name == "PWD") return directory(kDirectoryKey, value);
  const bool moved = name == "OLDPWD" && variables_.has(std::string(kOldDirectoryKey));
  if (moved) return directory(kOldDirectoryKey, kUnknownValue);
  return outside_value(name, value);
}

// What the variable is before the text.
Value Expander::outside_value(const std::string& name, const Value& otherwise) {
  if (!is_name_start(name.empty() ? '\0' : name.front())) return otherwise;  // $?, $$
  outside_names_.insert(name);
  if (const auto set = session_variables_.find(name); set != session_variables_.end()) {
    return make_value({{{set->second}}});
  }
  if (name == "IFS") return make_value({{{" \t\n"}}});
  if (name == "PATH") return make_value({{{std::string(kUsualPath)}}});
  if (name == "BASH" || name == "SHELL") return make_value({{{"/bin/bash"}}});
  // where the text may have set it, the other possibility is that nobody has
  return variables_.has(name) ? kUnsetValue : otherwise;
}

std::string_view Expander::secret_of(std::string_view name) const {
  const bool secret = secret_name(name) > SecretName::key && !variables_.has(name);
  return secret ? name : std::string_view();
}

Value Expander::directory(std::string_view key, const Value& otherwise) {
  const Value where = variables_.look(key);
  if (!where->is_known()) return kUnknownValue;
  uses_start_ = uses_start_ || where->items.size() > 1;
  const SeenWord& path = where->items.front();
  return path.text.empty() ? otherwise : make_value({{path}});
}

void Expander::expand_variable(const WordPart& part, Fields& fields) {
  if (part.detail && !is_plain(*part.detail)) return expand_detail(part, *part.detail, fields);
  const Value value = value_of(part.text);
  const bool all = part.text == "@" || part.text == "*";
  if (value->kind == ShellValue::Kind::outside && fields.splits && fields.words.empty() &&
      !fields.begun) {
    if (const std::string_view tool = customary_tool(part.text); !tool.empty()) {
      fields.add(tool);
      fields.current.customary = true;
      return;
    }
  }
  if (is_told(*value)) {
    add_value(*value, part.quoted, all, part.text == "*", fields);
  } else {
    fields.add_unknown(part.quoted && part.text != "@");
  }
  fields.add_secret(secret_of(part.text));
}

// `all`: every item of an array; else its first.
void Expander::add_value(const ShellValue& value, bool quoted, bool all, bool starred,
                         Fields& fields) {
  const std::size_t count = all ? value.items.size() : std::min<std::size_t>(value.items.size(), 1);
  const std::string between = starred ? separators().substr(0, 1) : " ";
  for (std::size_t i = 0; i < count; ++i) {
    const SeenWord& item = value.items[i];
    budget_.spend(item.text.size() + Budget::kWordBytes);
    if (budget_.spent()) return fields.add_unknown(false);
    if (item.text.size() > kMaxValueBytes) {
      fields.add_unknown(quoted);
      continue;
    }
    if (!quoted) {
      if (!variables_.has("IFS")) note_outside("IFS");
      if (i > 0 && fields.splits) fields.finish();
      if (i > 0 && !fields.splits) fields.add(between);
      fields.add_split(item);
      continue;
    }
    if (i > 0 && (starred || !fields.splits)) fields.add(between);
    if (i > 0 && !starred && fields.splits) fields.finish();
    fields.add(item.text);
    fields.current.pattern = fields.current.pattern || item.pattern;
    fields.current.several = fields.current.several || item.several;
    fields.current.temporary = item.temporary;
    fields.current.listed = item.listed;
    fields.begun = fields.begun || !item.text.empty();
    fields.add_secret(item.secret);
  }
  if (quoted && !all) fields.begun = true;
}

// ${array[index]}
Value Expander::element(const Value& value, const std::string& index) {
  if (!value->is_known()) return value;
  if (value->keyed || !is_digits(index) || index.size() > 5) {  // any of them
    const std::size_t count = value->items.size();
    if (!value->array || count == 0 || count > kMaxElements) return kUnknownValue;
    return make_value({{value->items[std::min(variables_.choose("[" + index, count), count - 1)]}});
  }
  const std::size_t at = static_cast<std::size_t>(std::atoi(index.c_str()));
  for (std::size_t i = 0; i < at && i < value->items.size(); ++i) {
    if (is_loose(value->items[i])) return kUnknownValue;
  }
  return at < value->items.size() ? make_value({{value->items[at]}}) : kUnsetValue;
}

// ${x:-y} and its like. True: the word is what stands behind the operation.
bool Expander::expand_default(const WordPart& part, const PartDetail& detail, const Value& value,
                              Fields& fields) {
  const std::string& operation = detail.operation;
  const char kind = operation.back();
  const bool nothing = value->kind == ShellValue::Kind::unset || value->items.empty();
  const bool empty = nothing || (value->items.size() == 1 && value->items.front().text.empty());
  const bool told = is_told(*value);
  bool missing = operation.front() == ':' ? empty : nothing;
  // where it is not known both may be; of what comes from outside, the text's own word counts
  const bool from_outside = value->kind == ShellValue::Kind::outside;
  const bool wholly_unknown = told && !empty && value->items.size() == 1 &&
                              value->items.front().text == std::string(1, kUnknownPiece);
  if ((!told && (kind == '+' || !from_outside)) || (wholly_unknown && kind != '?')) {
    missing = variables_.choose("${" + part.text + operation, 2) == (kind == '+' ? 1 : 0);
  }
  if (kind == '+' ? missing : !missing) {
    if (part.quoted && kind == '+') fields.begun = true;
    return kind == '+';
  }
  if (kind == '?') {
    expand_whole(detail.argument);
    fields.add_unknown(part.quoted);
    return true;
  }
  const SeenWord argument = expand_whole(detail.argument);
  if (kind == '=') {
    if (argument.text.contains('[')) outside_.evaluate(argument.text);  // of `declare -i`
    variables_.set(part.text, {{argument}});
  }
  if (part.quoted) {
    fields.add(argument.text);
  } else {
    fields.add_split(argument);
  }
  return true;
}

void Expander::expand_detail(const WordPart& part, const PartDetail& detail, Fields& fields) {
  const std::string& operation = detail.operation;
  Value value = value_of(part.text);
  const bool at_sign = detail.index == "@" || part.text == "@";
  const bool starred = detail.index == "*" || part.text == "*";
  const bool all = at_sign || starred;
  if (!all && !detail.index.empty()) {
    outside_.evaluate(detail.index);
    value = element(value, detail.index);
  }
  if (detail.length) {
    expand_whole(detail.argument);  // of its index
    return fields.add_unknown(true);
  }
  if (detail.indirect) {
    const bool named = !all && operation != "@" && operation != "*" && value->is_known() &&
                       value->items.size() == 1 && value->items.front().known();
    if (named) outside_.evaluate(value->items.front().text);
    value = named ? value_of(value->items.front().text) : kUnknownValue;
  }

  const char kind = operation.empty() ? '\0' : operation.back();
  if (operation.size() <= 2 && !operation.empty() && std::string_view("-=+?").contains(kind) &&
      (operation.size() == 1 || operation.front() == ':')) {
    if (expand_default(part, detail, value, fields)) return;
  } else {
    const SeenWord argument = expand_whole(detail.argument);  // its substitutions run in any case
    if (operation == ":") outside_.evaluate(argument.text);
    if (operation == "@" && argument.text == "P") {
      if (!is_told(*value)) outside_.prompt(std::string(1, kUnknownPiece));
      for (const SeenWord& item : value->items) outside_.prompt(item.text);
    }
    if (!operation.empty() && is_told(*value)) {
      ShellValue changed = *value;
      budget_.spend_words(changed.items.size());
      if (operation == ":" && all) {
        if (!take_slice(changed.items, argument, part.text == "@" || part.text == "*")) {
          return fields.add_unknown(!at_sign && part.quoted);
        }
        return add_value(changed, part.quoted, all, starred, fields);
      }
      for (SeenWord& item : changed.items) {
        item.text = apply_operation(item, operation, argument);
        item.temporary = false;
      }
      value = make_value(std::move(changed));
    }
  }
  if (is_told(*value)) {
    add_value(*value, part.quoted, all, starred, fields);
  } else {
    fields.add_unknown(part.quoted && !at_sign);
  }
  if (operation != "+" && operation != ":+") fields.add_secret(secret_of(part.text));
}

}  // namespace talaria::guard
