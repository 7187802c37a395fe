#include "policy/guard/program/expression_reader.h"

#include <algorithm>
#include <iterator>

#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using L = ProgramLanguage;

constexpr std::size_t kMaxRange = 4096;  // tokens of one expression

bool ends_in(std::string_view name, std::string_view end) {
  if (!name.ends_with(end)) return false;
  const char before = name.size() == end.size() ? '.' : name[name.size() - end.size() - 1];
  return before == '.' || before == '/';  // fs/promises.rm
}

std::string joined_path(std::string first, std::string_view second) {
  if (first.empty() || second.starts_with('/') || second.starts_with("~/")) {
    return std::string(second);
  }
  if (!first.ends_with('/')) first += '/';
  return first.append(second);
}

// What the operands at both sides of the mark are together.
ProgramValue joined_by(const std::string& mark, const std::vector<ProgramValue>& operands) {
  ProgramValue whole = operands[0];
  if (mark == "%") {
    for (const ProgramValue& one : operands) whole.pattern = whole.pattern || one.pattern;
    whole.text = filled_format(whole.text, {operands.begin() + 1, operands.end()});
    return whole;
  }
  ProgramValue next = operands[1];
  whole.pattern = whole.pattern || next.pattern;
  if (whole.list || next.list) {
    if (!whole.list) whole = list_of({{.text = whole.text, .several = true}});
    if (!next.list) next = list_of({{.text = next.text, .several = true}});
    whole.items.insert(whole.items.end(), next.items.begin(), next.items.end());
  } else if (mark == "/") {
    whole.text = joined_path(whole.text, next.text);
    whole.path = true;
  } else {
    whole.text += next.text;
  }
  return whole;
}

}  // namespace

bool is_called(const std::vector<std::string>& names, std::string_view list) {
  while (!list.empty()) {
    const std::string_view one = next_word(list);
    if (one.empty()) continue;
    const bool bare = one.front() == '=';
    for (const std::string& name : names) {
      if (bare ? name == one.substr(1) : ends_in(name, one)) return true;
    }
  }
  return false;
}

const ProgramValue* ProgramArguments::find(std::string_view name, std::size_t at) const {
  for (const auto& [key, value] : named) {
    if (key == name) return &value;
  }
  for (const ProgramValue& value : values) {
    if (const ProgramValue* const field = value.field(name)) return field;
  }
  return at < values.size() ? &values[at] : nullptr;
}

ProgramCallee ExpressionReader::callee(std::size_t at) const {
  ProgramCallee found{.name = code_[at].text, .begin = at};
  bool first = true;
  while (found.begin >= 2 && code_.is_dot(found.begin - 1)) {
    std::size_t before = found.begin - 2;
    if (first) found.receiver = TokenRange{before, found.begin - 1};
    first = false;
    // what is in brackets belongs to the name in front of it
    std::string element;
    while (code_.closes(before) && code_.partner(before) < before) {
      const std::size_t open = code_.partner(before);
      if (open + 2 == before && code_.is_text(open + 1)) element = code_[open + 1].text;
      before = open;
      const bool called =
          open > 0 &&
          (code_.closes(open - 1) ||
           (code_.is_name(open - 1) && !among(code_.word(open - 1), kWordsBeforeBrackets)));
      if (!called) break;
      before = open - 1;
    }
    const bool loads = !element.empty() && code_.is_name(before) &&
                       is_called(context_.names.resolve(code_[before].text),
                                 "require __import__ import_module modules");
    found.begin = before;
    if (loads) {
      if (element.starts_with("node:")) element.erase(0, 5);
      found.name = element + "." + found.name;
      while (found.begin >= 2 && code_.is_dot(found.begin - 1) && code_.is_name(found.begin - 2)) {
        found.begin -= 2;
      }
      break;
    }
    const bool named = code_.is_name(before);
    found.name = (named ? code_[before].text : "?") + "." + found.name;
    if (!named) break;
  }
  if (found.receiver) found.receiver->begin = found.begin;
  found.names = context_.names.resolve(found.name);
  return found;
}

ProgramArguments ExpressionReader::arguments_in(TokenRange range) const {
  ProgramArguments found;
  range.end = std::min(range.end, range.begin + kMaxRange);
  context_.steps += static_cast<long>(range.size());
  if (context_.spent()) return found;
  for (const TokenRange& part : code_.split(range)) {
    if (found.ranges.size() + found.named.size() >= kMaxArguments) break;
    if (part.size() == 0) continue;
    const bool label = part.size() > 2 && (code_.is_name(part.begin) || code_.is_text(part.begin));
    const bool named = label && (code_.is(part.begin + 1, "=>") ||
                                 (code_.is(part.begin + 1, "=") && language() != L::javascript) ||
                                 (code_.is(part.begin + 1, ":") && language() != L::javascript));
    const bool comma = language() == L::perl && code_.is(part.begin + 1, "=>");  // in other words
    if (named)
      found.named.emplace_back(code_[part.begin].text, evaluate({part.begin + 2, part.end}));
    if (comma) {
      const ProgramValue name{.text = code_[part.begin].text};
      found.values.push_back(code_.is_name(part.begin) ? name
                                                       : evaluate({part.begin, part.begin + 1}));
      found.values.push_back(evaluate({part.begin + 2, part.end}));
    }
    if (named || comma) continue;
    found.ranges.push_back(part);
    const bool fields = code_.is(part.begin, "**");
    ProgramValue value = evaluate({part.begin + (fields ? 1 : 0), part.end});
    if (fields && !value.fields.empty()) {
      std::ranges::move(value.fields, std::back_inserter(found.named));
    } else if ((code_.is(part.begin, "*") || code_.is(part.begin, "...")) && value.list &&
               !value.each) {
      std::ranges::move(value.items, std::back_inserter(found.values));
    } else {
      found.values.push_back(std::move(value));
    }
  }
  return found;
}

bool ExpressionReader::is_joiner(std::size_t at) const {
  switch (language()) {
    case L::perl:
    case L::php:
      return code_.is(at, ".");
    case L::lua:
      return code_.is(at, "..");
    case L::julia:
      return code_.is(at, "*");
    case L::python:
    case L::ruby:
      return code_.is(at, "+") || code_.is(at, "/") || code_.is(at, "%");
    default:
      return code_.is(at, "+");
  }
}

ProgramValue ExpressionReader::evaluate(TokenRange range) const {
  context_.steps += static_cast<long>(range.size());
  if (depth_ > kMaxExpressionDepth || context_.spent() || range.size() > kMaxRange) {
    return ProgramValue::unknown();
  }
  while (range.size() > 0 && (among(code_.word(range.begin), "await new") ||
                              code_.is(range.begin, "&") || code_.is(range.begin, "\\"))) {
    ++range.begin;
  }
  if (range.size() == 0) return ProgramValue::unknown();
  if (code_.is(range.begin, "*") || code_.is(range.begin, "...")) {  // *x: all that is in it
    ProgramValue spread = deeper().evaluate({range.begin + 1, range.end});
    spread.several = !spread.list;
    return spread;
  }
  std::vector<TokenRange> parts;
  std::vector<std::string> marks;
  std::size_t begin = range.begin;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (code_.opens(i)) {
      if (code_.partner(i) >= range.end) return ProgramValue::unknown();
      i = code_.partner(i);
    } else if (i > begin && is_joiner(i)) {
      parts.push_back({begin, i});
      marks.push_back(code_[i].text);
      begin = i + 1;
    } else if (code_.is_kind(i, ProgramToken::Kind::mark)) {
      const bool sign = i == begin && code_.is(i, "-");
      const bool part = code_.is_dot(i) || code_.is(i, "!") || sign;
      if (!part) return ProgramValue::unknown();
    } else if (among(code_.word(i), "or and if else unless in is not")) {
      return ProgramValue::unknown();
    }
  }
  parts.push_back({begin, range.end});
  return parts.size() == 1 ? operand(range) : joined(parts, marks);
}

ProgramValue ExpressionReader::joined(const std::vector<TokenRange>& parts,
                                      const std::vector<std::string>& marks) const {
  ProgramValue whole = operand(parts.front());
  for (std::size_t i = 0; i < marks.size(); ++i) {
    ProgramValue next = operand(parts[i + 1]);
    std::vector<ProgramValue> operands{whole};
    if (marks[i] == "%" && next.list && !next.each) {
      std::ranges::move(next.items, std::back_inserter(operands));
    } else {
      operands.push_back(std::move(next));
    }
    whole = of_each(operands, [&](const std::vector<ProgramValue>& chosen) {
      return joined_by(marks[i], chosen);
    });
    context_.steps += static_cast<long>(whole.items.size());
    if (whole.text.size() > kMaxValue) return ProgramValue::unknown();
  }
  return whole;
}

ProgramValue ExpressionReader::operand(TokenRange range) const {
  if (range.size() == 0) return ProgramValue::unknown();
  const std::size_t first = range.begin;
  const bool whole = code_.opens(first) && code_.partner(first) + 1 == range.end;
  if (code_.is(first, "(") && whole) {
    const bool several =
        code_.split(code_.inside(first)).size() > 1 || code_.is(range.end - 2, ",");
    return several ? list_value(code_.inside(first)) : deeper().evaluate(code_.inside(first));
  }
  if (code_.is(first, "[") && whole) return list_value(code_.inside(first));
  if (code_.is(first, "{") && whole) return object_value(code_.inside(first));
  if (code_.is(first, "[") && code_.is(first + 1, "]") && code_.is(range.end - 1, "}")) {
    return list_value(code_.inside(code_.partner(range.end - 1)));  // []string{"a", "b"}
  }
  if (code_.is(first, "-") && range.size() == 2) {
    return {.text = "-" + code_[first + 1].text, .number = true};
  }
  if (code_.is_kind(first, ProgramToken::Kind::number) && range.size() == 1) {
    return {.text = code_[first].text, .number = true};
  }
  std::size_t texts = first;
  while (texts < range.end && code_.is_text(texts)) ++texts;
  if (texts == range.end) {
    ProgramValue value = text_value(code_[first]);
    for (std::size_t i = first + 1; i < texts; ++i) value.text += text_value(code_[i]).text;
    return value;
  }
  return chain_value(range);
}

ProgramValue ExpressionReader::text_value(const ProgramToken& token) const {
  ProgramValue value;
  std::size_t piece = 0;
  for (const char c : token.text) {
    if (c != kUnknownPiece || piece >= token.pieces.size()) {
      for (ProgramValue& one : value.items) one.text += c;
      if (!value.each) value.text += c;
      continue;
    }
    const ProgramCode code(read_program_tokens(token.pieces[piece++], language()).tokens);
    const ExpressionReader reader(code, context_, depth_ + 1);
    const ProgramValue put_in = reader.evaluate({0, code.size()});
    value = of_each({value, put_in}, [](const std::vector<ProgramValue>& two) {
      ProgramValue both = two[0];
      both.own = both.own || (both.text.empty() && two[1].own);
      both.pattern = both.pattern || two[1].pattern;
      both.text += two[1].list ? std::string(1, kUnknownPiece) : two[1].text;
      return both;
    });
    context_.steps += static_cast<long>(value.items.size());
    if (value.text.size() > kMaxValue) return ProgramValue::unknown();
  }
  return value;
}

ProgramValue ExpressionReader::list_value(TokenRange range) const {
  ProgramValue list = list_of({});
  for (const TokenRange& part : code_.split(range)) {
    if (list.items.size() >= kMaxArguments) {
      list.items.push_back({.text = std::string(1, kUnknownPiece), .several = true});
      break;
    }
    if (part.size() == 0) continue;
    std::size_t loop = part.begin;
    while (loop < part.end && code_.word(loop) != "for") ++loop;
    const bool comprehends = loop < part.end;  // [x for x in y]
    ProgramValue item = deeper().evaluate({part.begin, loop});
    if (comprehends && !item.each) item.several = true;
    const bool spread = item.list && (code_.is(part.begin, "*") || code_.is(part.begin, "...") ||
                                      language() == L::perl || comprehends);
    if (spread) {
      list.items.insert(list.items.end(), item.items.begin(), item.items.end());
    } else {
      list.items.push_back(std::move(item));
    }
  }
  return list;
}

ProgramValue ExpressionReader::object_value(TokenRange range) const {
  ProgramValue object = ProgramValue::unknown();
  for (const TokenRange& part : code_.split(range)) {
    const bool pair =
        part.size() > 2 && (code_.is(part.begin + 1, ":") || code_.is(part.begin + 1, "=>") ||
                            code_.is(part.begin + 1, "="));
    if (pair && object.fields.size() < kMaxArguments) {
      object.fields.emplace_back(code_[part.begin].text,
                                 deeper().evaluate({part.begin + 2, part.end}));
    } else if (part.size() == 1 && code_.is_name(part.begin)) {  // {body}
      object.fields.emplace_back(code_[part.begin].text, deeper().evaluate(part));
    }
  }
  return object;
}

ProgramValue ExpressionReader::chain_value(TokenRange range) const {
  const std::size_t last = range.end - 1;
  if (code_.is(last, ")") && code_.partner(last) > range.begin && code_.partner(last) < last) {
    const std::size_t open = code_.partner(last);
    if (!code_.is_name(open - 1)) return ProgramValue::unknown();
    const ExpressionReader reader = deeper();
    return reader.call_value(reader.callee(open - 1), reader.arguments(open));
  }
  if (code_.closes(last) && code_.partner(last) > range.begin && code_.partner(last) < last) {
    return element_value(range, code_.partner(last));
  }
  std::size_t at = range.begin;
  const std::string dotted = code_.dotted(at, range.end);
  if (at == range.end) return name_value(dotted);
  if (code_.is_text(at) && at + 1 == range.end && dotted == "glob") {  // glob "x" of Perl
    return deeper().call_value(deeper().callee(at - 1), deeper().arguments_in({at, range.end}));
  }
  if (!code_.is_name(last) || !code_.is_dot(last - 1)) return ProgramValue::unknown();
  const ProgramValue receiver = deeper().evaluate({range.begin, last - 1});  // f().name
  if (receiver.path && code_.word(last) == "parent") return method_value("parent", receiver, {});
  return {.text = std::string(1, kUnknownPiece), .own = receiver.own};
}

}  // namespace talaria::guard
