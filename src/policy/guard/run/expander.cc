#include "policy/guard/run/expander.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "policy/guard/run/braces.h"
#include "policy/guard/run/parameter.h"

namespace talaria {
namespace {

using Kind = WordPart::Kind;

constexpr std::size_t kMaxValueBytes = 64 * 1024;

bool has_pattern(std::string_view text) {
  if (text.find_first_of("*?") != std::string_view::npos) return true;
  const std::size_t open = text.find('[');  // alone it is a command
  return open != std::string_view::npos && text.find(']', open) != std::string_view::npos;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.front() != '-' &&
         std::ranges::all_of(text, [](char c) { return std::isalnum(c) != 0 || c == '_'; });
}

}  // namespace

// The words that come into being while one is expanded.
struct Expander::Fields {
  std::vector<SeenWord>& words;
  bool splits;
  std::string separators;
  SeenWord current = {};
  bool begun = false;  // also by an empty quoted part

  void add(std::string_view text) {
    current.text += text;
    begun = true;
  }
  void add_unknown() {
    if (!current.text.ends_with(kUnknownPiece)) current.text += kUnknownPiece;
    begun = true;
  }
  void finish() {
    if (!begun) return;
    words.push_back(std::move(current));
    current = {};
    begun = false;
  }
  void add_split(const SeenWord& value) {
    if (!splits) {
      if (!value.text.empty()) add(value.text);
      return;
    }
    const bool pattern = value.pattern || has_pattern(value.text);
    for (const char c : value.text) {
      if (separators.contains(c)) {
        finish();
      } else {
        current.text += c;
        current.pattern = current.pattern || pattern;
        begun = true;
      }
    }
  }
};

Expander::Expander(Variables& variables, std::string home, Outside outside)
    : variables_(variables), home_(std::move(home)), outside_(std::move(outside)) {}

std::string Expander::separators() {
  const ShellValue* set = variables_.find("IFS");
  if (set == nullptr || set->items.empty()) return " \t\n";
  return set->items.front().text;
}

// Most words are text and nothing else.
bool Expander::expand_simple(const ShellWord& word, std::vector<SeenWord>& words) const {
  if (word.parts.size() != 1 || word.parts.front().kind != Kind::text) return false;
  const WordPart& part = word.parts.front();
  if (!part.quoted && part.text.find_first_of("~{") != std::string::npos) return false;
  words.push_back({part.text, !part.quoted && has_pattern(part.text)});
  return true;
}

void Expander::expand(const ShellWord& word, std::vector<SeenWord>& words) {
  if (expand_simple(word, words)) return;
  Fields fields{words, true, separators()};
  if (!may_have_braces(word)) {
    std::vector<const WordPart*> parts;
    for (const WordPart& part : word.parts) parts.push_back(&part);
    expand_parts(parts, fields);
    fields.finish();
    return;
  }
  std::vector<BraceWord> choices;
  if (!expand_braces(word, choices)) {
    fields.add_unknown();
    fields.finish();
    return;
  }
  for (const BraceWord& choice : choices) {
    std::deque<WordPart> texts;
    std::vector<const WordPart*> parts;
    bool open = false;  // the last part is letters
    for (const BracePiece& piece : choice) {
      if (piece.part != nullptr) {
        parts.push_back(piece.part);
      } else if (open) {
        texts.back().text += piece.letter;
      } else {
        parts.push_back(&texts.emplace_back(Kind::text, false, std::string(1, piece.letter)));
      }
      open = piece.part == nullptr;
    }
    expand_parts(parts, fields);
    fields.finish();
  }
}

SeenWord Expander::expand_whole(const ShellWord& word) {
  std::vector<SeenWord> words;
  Fields fields{words, false, ""};
  std::vector<const WordPart*> parts;
  for (const WordPart& part : word.parts) parts.push_back(&part);
  expand_parts(parts, fields);
  fields.finish();
  if (words.empty()) return {};
  SeenWord whole = std::move(words.front());
  for (std::size_t i = 1; i < words.size(); ++i) whole.text += " " + words[i].text;
  return whole;
}

void Expander::expand_parts(std::span<const WordPart* const> parts, Fields& fields) {
  bool first = true;
  for (const WordPart* part : parts) {
    switch (part->kind) {
      case Kind::text:
        expand_text(*part, first, fields);
        break;
      case Kind::variable:
        expand_variable(*part, fields);
        break;
      case Kind::command:
        if (const auto output = outside_.output(part->detail->list)) {
          if (part->quoted) {
            fields.add(*output);
          } else {
            fields.add_split({*output, false});
          }
        } else {
          fields.add_unknown();
        }
        break;
      case Kind::arithmetic:
        expand_whole(part->detail->argument);  // for the substitutions in it
        for (const WordPart& piece : part->detail->argument.parts) {
          if (piece.kind == Kind::text) outside_.changed(piece.text);
        }
        fields.add_unknown();
        break;
      case Kind::process:
        outside_.process(*part->detail);
        fields.add("/dev/fd/");
        fields.add_unknown();
        break;
    }
    first = false;
    if (fields.current.text.size() > kMaxValueBytes && !part->quoted) return;
  }
}

// A tilde at the start of `text` stands for the home directory.
std::string Expander::with_home(std::string_view text) const {
  if (text == "~" || text.starts_with("~/")) return home_ + std::string(text.substr(1));
  if (text.starts_with("~+") || text.starts_with("~-")) return std::string(1, kUnknownPiece);
  return std::string(text);
}

void Expander::expand_text(const WordPart& part, bool first, Fields& fields) const {
  if (part.quoted) return fields.add(part.text);
  fields.current.pattern = fields.current.pattern || has_pattern(part.text);
  if (first && part.text.starts_with('~')) return fields.add(with_home(part.text));
  const std::size_t equals = part.text.find("=~");
  if (first && equals != std::string::npos &&
      is_name(std::string_view(part.text).substr(0, equals))) {
    fields.add(part.text.substr(0, equals + 1));
    return fields.add(with_home(std::string_view(part.text).substr(equals + 1)));
  }
  fields.add(part.text);
}

std::optional<ShellValue> Expander::value_of(const std::string& name) {
  if (name == "@" || name == "*") return ShellValue{arguments_, true};
  if (name == "#") return ShellValue{{{std::to_string(arguments_.size())}}};
  if (name == "0") return ShellValue{{{"bash"}}};
  if (!name.empty() && std::ranges::all_of(name, [](char c) { return std::isdigit(c) != 0; })) {
    const std::size_t at =
        name.size() > 4 ? 9999 : static_cast<std::size_t>(std::atoi(name.c_str()));
    if (at > arguments_.size()) return ShellValue{};
    return ShellValue{{arguments_[at - 1]}};
  }
  if (const ShellValue* value = variables_.find(name)) return *value;
  if (variables_.is_unset(name)) return ShellValue{};
  if (name == "HOME") return ShellValue{{{home_}}};
  if (name == "IFS") return ShellValue{{{" \t\n"}}};
  if (name == "BASH") return ShellValue{{{"/bin/bash"}}};
  return std::nullopt;
}

void Expander::expand_variable(const WordPart& part, Fields& fields) {
  if (part.detail) return expand_detail(part, *part.detail, fields);
  const std::optional<ShellValue> value = value_of(part.text);
  if (!value) return fields.add_unknown();
  const bool all = part.text == "@" || part.text == "*";
  add_value(*value, part.quoted, all, part.text == "*", fields);
}

// `all`: every item of an array; else its first.
void Expander::add_value(const ShellValue& value, bool quoted, bool all, bool starred,
                         Fields& fields) {
  const std::size_t count = all ? value.items.size() : std::min<std::size_t>(value.items.size(), 1);
  for (std::size_t i = 0; i < count; ++i) {
    const SeenWord& item = value.items[i];
    if (!quoted) {
      if (i > 0 && fields.splits) fields.finish();
      fields.add_split(item);
      continue;
    }
    if (i > 0 && (starred || !fields.splits)) fields.add(" ");
    if (i > 0 && !starred && fields.splits) fields.finish();
    fields.add(item.text);
    fields.current.pattern = fields.current.pattern || item.pattern;
  }
  if (quoted && !all) fields.begun = true;
}

void Expander::expand_detail(const WordPart& part, const PartDetail& detail, Fields& fields) {
  const std::string& operation = detail.operation;
  std::optional<ShellValue> value = value_of(part.text);
  const bool all =
      detail.index == "@" || detail.index == "*" || part.text == "@" || part.text == "*";
  if (value && value->array && !all && !detail.index.empty()) {
    const bool number =
        std::ranges::all_of(detail.index, [](char c) { return std::isdigit(c) != 0; });
    const std::size_t at = number && detail.index.size() < 6
                               ? static_cast<std::size_t>(std::atoi(detail.index.c_str()))
                               : std::string::npos;
    if (at < value->items.size()) {
      value = ShellValue{{value->items[at]}};
    } else {
      value.reset();
    }
  } else if (value && !value->array && !detail.index.empty() && !all && detail.index != "0") {
    value.reset();
  }
  if (detail.indirect) {
    const bool named = value && value->items.size() == 1 && value->items.front().known();
    value = named ? value_of(value->items.front().text) : std::nullopt;
  }
  if (detail.length) return fields.add_unknown();

  const bool empty = !value || value->items.empty() ||
                     (value->items.size() == 1 && value->items.front().text.empty());
  const char kind = operation.empty() ? '\0' : operation.back();
  if (operation.size() <= 2 && !operation.empty() && std::string_view("-=+?").contains(kind) &&
      (operation.size() == 1 || operation.front() == ':')) {
    const bool missing = operation.front() == ':' ? empty : !value || value->items.empty();
    if (kind == '=' && missing) variables_.set(part.text, {{expand_whole(detail.argument)}});
    if (kind == '+' ? (!missing || !value) : missing) {
      const SeenWord argument = expand_whole(detail.argument);
      if (kind == '?' && !value) return fields.add_unknown();
      if (part.quoted) return fields.add(argument.text);
      return fields.add_split(argument);
    }
    if (kind == '+') return;
  } else {
    const SeenWord argument = expand_whole(detail.argument);  // its substitutions run in any case
    if (!operation.empty()) {
      if (!value) return fields.add_unknown();
      for (SeenWord& item : value->items) {
        item.text = apply_operation(item, operation, argument);
      }
    }
  }
  if (!value) return fields.add_unknown();
  add_value(*value, part.quoted, all, detail.index == "*" || part.text == "*", fields);
}

}  // namespace talaria
