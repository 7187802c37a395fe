// Of ExpressionReader: what names and elements stand for.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "policy/guard/program/expression_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using L = ProgramLanguage;

// What stands at that place in each item: for x, y in [(a, b), (c, d)].
ProgramValue part_of_each(const ProgramValue& list, std::size_t place) {
  ProgramValue all{.text = "", .list = true, .each = true};
  for (const ProgramValue& item : list.items) {
    if (!item.list || place >= item.items.size()) return ProgramValue::unknown();
    all.items.push_back(item.items[place]);
  }
  return all.items.empty() ? ProgramValue::unknown() : all;
}

// The items from that number on.
ProgramValue rest_of(ProgramValue list, std::string_view number) {
  const std::size_t first = parse_integer<std::size_t>(number).value_or(0);
  const auto several = [](const ProgramValue& one) { return one.several; };
  if (!list.list || list.each || first > list.items.size()) return ProgramValue::unknown();
  const auto begin = list.items.begin();
  const auto at = begin + static_cast<std::ptrdiff_t>(first);
  const auto open = std::find_if(begin, at, several);  // it may be the rest of that
  list.items.erase(begin, open);
  return list;
}

// a, NAME = value
ProgramValue piece_of(const ProgramValue& value, std::size_t place) {
  if (!value.list) return {.text = std::string(1, kUnknownPiece), .own = value.own};
  ProgramValue rest = rest_of(value, std::to_string(place));
  if (!rest.list || rest.items.empty()) return ProgramValue::unknown();
  return rest.items.front();
}

}  // namespace

// x["HOME"], $ENV{HOME}; of a list or an object, any of what is in it
ProgramValue ExpressionReader::element_value(TokenRange range, std::size_t open) const {
  std::size_t at = range.begin;
  const std::string dotted = code_.dotted(at, open);
  const TokenRange key = code_.inside(open);
  const bool number = code_.is_kind(key.begin, ProgramToken::Kind::number);
  if (key.size() == 2 && number && code_.is(key.begin + 1, ":")) {  // x[1:]
    return rest_of(deeper().evaluate({range.begin, open}), code_[key.begin].text);
  }
  if (key.size() != 1) return ProgramValue::unknown();
  const std::string& name = code_[key.begin].text;
  const std::vector<std::string> names =
      at == open ? context_.names.resolve(dotted) : std::vector<std::string>();
  if (is_called(names, "os.environ process.env ENV $ENV $_SERVER $_ENV")) {
    return context_.start.environment(name);
  }
  if (number && code_.word(open - 1) == "parents" && open >= range.begin + 3) {  // p.parents[1]
    ProgramValue path = deeper().evaluate({range.begin, open - 2});
    for (int up = parse_integer<int>(name).value_or(0); up >= 0 && path.path; --up) {
      path = method_value("parent", path, {});
    }
    return path;
  }
  if (is_called(names, "=Dir") && language() == L::ruby) {  // Dir["*.rb"]
    ProgramValue found = deeper().evaluate(key);
    found.pattern = true;
    return found;
  }
  ProgramValue of = deeper().evaluate({range.begin, open});
  if (number && of.list && !of.each) {
    ProgramValue rest = rest_of(of, name);
    if (!rest.list || rest.items.empty()) return ProgramValue::unknown();
    if (!rest.items.front().several) return rest.items.front();
  }
  for (auto& [field, value] : of.fields) of.items.push_back(std::move(value));
  if (of.each || of.items.empty()) return ProgramValue::unknown();
  return {.text = "", .items = std::move(of.items), .list = true, .each = true};
}

ProgramValue ExpressionReader::name_value(const std::string& dotted) const {
  const std::vector<std::string> names = context_.names.resolve(dotted);
  if (is_called(names, "sys.executable")) return {.text = "python3"};
  if (is_called(names, "process.execPath")) return {.text = "node"};
  if (is_called(names, "os.sep path.sep")) return {.text = "/"};
  if (is_called(names, "os.devnull path.devNull")) return {.text = "/dev/null"};
  if (is_called(names, "sys.argv process.argv =ARGV =@ARGV =$ARGV =$argv")) {
    return context_.start.all_words();
  }
  if (is_called(names, "sys.stdin =STDIN =$stdin") && !context_.start.lines.empty()) {
    return list_of(context_.start.lines);
  }
  if (dotted == "shift" && language() == L::perl && !context_.start.arguments.empty()) {
    return {.text = "", .items = context_.start.arguments, .list = true, .each = true};
  }
  for (const std::string& one : names) {
    constexpr std::string_view kVariables = "process.env.";
    if (one.starts_with(kVariables)) {
      return context_.start.environment(one.substr(kVariables.size()));
    }
  }
  if (is_called(names, "Dir.home")) return {.text = "~", .path = true};
  if (is_called(names, "Dir.pwd")) return {.text = ".", .path = true};
  if (is_called(names, "Dir.mktmpdir")) return {.text = std::string(1, kUnknownPiece), .own = true};
  const std::string_view last = std::string_view(dotted).substr(dotted.find_last_of('.') + 1);
  if (last.starts_with("SIG")) return {.text = std::string(last)};
  if (among(dotted, "True true TRUE")) return {.text = "true", .number = true};
  if (among(dotted, "False false FALSE None null NULL nil undefined")) {
    return {.text = "", .number = true};
  }
  const std::string first = dotted.substr(0, dotted.find('.'));
  ProgramValue value = deeper().followed_value(first);
  if (first != dotted && value.pattern && last == "path") return value;  // of os.scandir()
  if (value.path && dotted.ends_with(".parent")) {                       // p.parent.parent
    for (std::string_view rest = std::string_view(dotted).substr(first.size() + 1);
         !rest.empty();) {
      value = next_word(rest, '.') == "parent" ? method_value("parent", value, {})
                                               : ProgramValue::unknown();
    }
    return value;
  }
  if (first != dotted) {
    const ProgramValue* const field = value.field(dotted.substr(first.size() + 1));
    ProgramValue attribute = deeper().followed_value("." + std::string(last));
    std::vector<ProgramValue> others = attribute.alternatives();
    if (field != nullptr) others.push_back(*field);
    std::erase_if(others, [](const ProgramValue& one) {
      return one.wholly_unknown() || (one.number && one.text.empty());
    });
    value = {.text = std::string(1, kUnknownPiece), .own = value.own, .others = std::move(others)};
  }
  value.own = value.own || context_.made.contains(dotted);
  return value;
}

// What the program gives the name; ".x" is what it gives that attribute of anything.
ProgramValue ExpressionReader::followed_value(const std::string& name) const {
  const NameBinding* const binding = context_.names.find(name);
  std::vector<const NameBinding*>& followed = context_.followed;
  const bool again = std::ranges::find(followed, binding) != followed.end();  // x = f(x)
  if (binding == nullptr || again) return ProgramValue::unknown();
  context_.steps += 4;
  followed.push_back(binding);
  ProgramValue value = bound_value(*binding);
  followed.pop_back();
  return value;
}

ProgramValue ExpressionReader::bound_value(const NameBinding& binding) const {
  const std::size_t count = binding.values.size() + binding.loops.size() + binding.opened.size() +
                            binding.parts.size() + binding.pieces.size();
  if (depth_ > kMaxExpressionDepth) return ProgramValue::unknown();
  const ExpressionReader reader(context_.names.code(), context_, depth_ + 1);
  if (binding.otherwise || count == 0) return reader.given_value(binding);
  bool own = true;
  ProgramValue value;
  std::vector<ProgramValue> others;
  const auto add_other = [&](const ProgramValue& one) {
    const bool nothing = one.number && one.text.empty();  // None, for now
    if (!nothing && others.size() < kMaxArguments) others.push_back(one);
  };
  for (const auto* ranges : {&binding.values, &binding.loops, &binding.opened}) {
    for (const TokenRange& range : *ranges) {
      value = reader.evaluate(range);
      own = own && value.own;
      if (count > 1) add_other(value);
    }
  }
  for (const auto& [range, place] : binding.parts) {
    value = part_of_each(reader.evaluate(range), place);
    own = false;
    if (count > 1) add_other(value);
  }
  for (const auto& [range, place] : binding.pieces) {
    value = reader.evaluate(range);
    own = own && value.own;
    value = piece_of(value, place);
    if (count > 1) add_other(value);
  }
  if (count > 1 || !binding.opened.empty()) {
    return {.text = std::string(1, kUnknownPiece), .own = own, .others = std::move(others)};
  }
  if (!binding.loops.empty()) {
    if (value.each) {  // for x in y, where y is one list after the other
      for (ProgramValue& one : std::exchange(value.items, {})) {
        std::ranges::move(one.list ? one.items : std::vector{one}, std::back_inserter(value.items));
      }
    }
    value.each = value.list;
    if (!value.list && !value.pattern && !own) return ProgramValue::unknown();
  }
  if (binding.grows) return grown_value(std::move(value), binding);
  return value;
}

// What is not known, but for what it is given somewhere.
ProgramValue ExpressionReader::given_value(const NameBinding& binding) const {
  if (binding.given.empty()) return ProgramValue::unknown();
  const auto [known, is_new] = context_.given.try_emplace(&binding, ProgramValue::unknown());
  if (!is_new) return known->second;
  ProgramValue value = ProgramValue::unknown();
  for (const auto& [range, each] : binding.given) {
    if (value.others.size() >= kMaxArguments) break;
    ProgramValue one = evaluate(range);
    std::vector<ProgramValue> all = each && one.list ? std::move(one.items) : one.alternatives();
    std::erase_if(all, [](const ProgramValue& each_of_it) {
      return each_of_it.wholly_unknown() || each_of_it.number || each_of_it.list;
    });
    std::ranges::move(all, std::back_inserter(value.others));
  }
  return context_.given[&binding] = value;
}

// What follows in the program may come once, more than once or never.
ProgramValue ExpressionReader::grown_value(ProgramValue value, const NameBinding& binding) const {
  const ExpressionReader reader(context_.names.code(), context_, depth_ + 1);
  if (!value.list) {
    ProgramValue all = value;
    for (const TokenRange& range : binding.grown) {
      if (all.text.size() < kMaxValue) all.text += reader.evaluate(range).text;
    }
    value.others = {std::move(all)};
    value.text += kUnknownPiece;
    return value;
  }
  for (const TokenRange& range : binding.grown) {
    if (value.items.size() >= kMaxArguments) break;
    ProgramValue more = reader.evaluate(range);
    if (more.list) {
      std::ranges::move(more.items, std::back_inserter(value.items));
    } else {
      value.items.push_back(std::move(more));
    }
  }
  value.items.push_back({.text = std::string(1, kUnknownPiece), .several = true});
  return value;
}

}  // namespace talaria::guard
