#include "front/lines/line_params.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <boost/json/array.hpp>

#include "base/base64.h"
#include "base/duration.h"
#include "base/text.h"
#include "front/lines/line_protocol.h"

namespace talaria::front::lines {
namespace {

// The largest whole number that every language reads exactly.
constexpr std::uint64_t kMostWhole = (std::uint64_t{1} << 53) - 1;

std::optional<std::uint64_t> whole_of(const json::value& value) {
  std::optional<std::uint64_t> number;
  if (value.is_uint64()) number = value.get_uint64();
  if (value.is_int64() && value.get_int64() >= 0) {
    number = static_cast<std::uint64_t>(value.get_int64());
  }
  const double* const real = value.if_double();
  if (real != nullptr && *real >= 0 && *real <= static_cast<double>(kMostWhole) &&
      *real == std::floor(*real)) {
    number = static_cast<std::uint64_t>(*real);
  }
  return number && *number <= kMostWhole ? number : std::nullopt;
}

std::optional<std::chrono::milliseconds> time_of(const json::value& value) {
  if (value.is_string()) return parse_time(value.get_string());
  if (!value.is_number()) return std::nullopt;
  constexpr double kMost = 3.2e9;  // as parse_time()
  const auto seconds = value.to_number<double>();
  if (!(seconds >= 0 && seconds <= kMost)) return std::nullopt;
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

bool is_list_of_texts(const json::value& value) {
  const json::array* const list = value.if_array();
  return list && std::ranges::all_of(*list, [](const json::value& one) { return one.is_string(); });
}

bool is_map_of_texts(const json::value& value) {
  const json::object* const map = value.if_object();
  return map && std::ranges::all_of(*map, [](const auto& one) { return one.value().is_string(); });
}

bool is_size(const json::value& value) {
  const json::object* const size = value.if_object();
  if (!size || size->size() != 2) return false;
  const json::value* const rows = size->if_contains("rows");
  const json::value* const cols = size->if_contains("cols");
  return rows && cols && whole_of(*rows) && whole_of(*cols);
}

struct ParamType {
  std::string_view name;
  const char* expected;
  bool (*fits)(const json::value& value);
};

constexpr auto kTypes = std::to_array<ParamType>({
    {"text", "expected a string", [](const json::value& v) { return v.is_string(); }},
    {"name", "expected a string",
     [](const json::value& v) { return v.is_string() && !v.get_string().empty(); }},
    {"texts", "expected a list of strings", is_list_of_texts},
    {"flag", "expected true or false", [](const json::value& v) { return v.is_bool(); }},
    {"whole", "expected a whole number, 0 or more",
     [](const json::value& v) { return whole_of(v).has_value(); }},
    {"number", "expected a number, 0 or more",
     [](const json::value& v) { return v.is_number() && v.to_number<double>() >= 0; }},
    {"time", "expected a number of seconds, or a text such as \"90s\", \"5m\" or \"2h\"",
     [](const json::value& v) { return time_of(v).has_value(); }},
    {"base64", "expected bytes in base64",
     [](const json::value& v) {
       return v.is_string() && base64_decode(v.get_string()).has_value();
     }},
    {"map", "expected an object whose values are strings", is_map_of_texts},
    {"object", "expected an object", [](const json::value& v) { return v.is_object(); }},
    {"list", "expected a list", [](const json::value& v) { return v.is_array(); }},
    {"size", R"(expected a size, for example {"rows":30,"cols":120})", is_size},
    {"who", "expected a name or a number",
     [](const json::value& v) {
       return whole_of(v).has_value() || (v.is_string() && !v.get_string().empty());
     }},
    {"any", "expected a value", [](const json::value&) { return true; }},
});

struct Declared {
  std::string_view name;
  const ParamType* type = nullptr;
  bool required = false;
  bool nullable = false;
};

// One word of what a method takes.
Declared declared(std::string_view word) {
  Declared param;
  const std::size_t colon = word.find(':');
  param.name = word.substr(0, colon);
  param.nullable = param.name.ends_with('?');
  if (param.nullable) param.name.remove_suffix(1);
  param.required = param.name.ends_with('!');
  if (param.required) param.name.remove_suffix(1);
  const std::string_view type = word.substr(colon + 1);
  param.type = &*std::ranges::find(kTypes, type, &ParamType::name);
  return param;
}

template <class Use>
void for_each_param(std::string_view takes, Use use) {
  while (!takes.empty()) use(declared(next_word(takes)));
}

std::string names_of(std::string_view takes) {
  std::string names;
  for_each_param(takes, [&](const Declared& one) {
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  });
  return names;
}

}  // namespace

Error param_error(std::string_view name, std::string_view what) {
  return {ErrorKind::bad_request, "params." + std::string(name) + ": " + std::string(what)};
}

Result<LineParams> LineParams::read(std::string_view method, std::string_view takes,
                                    json::object given) {
  std::optional<Error> flaw;
  std::size_t known = 0;
  for_each_param(takes, [&](const Declared& param) {
    const json::value* const value = given.if_contains(param.name);
    known += value != nullptr;
    if (value != nullptr && value->is_null() && !param.nullable) {
      given.erase(param.name);
      --known;
      if (param.required && !flaw) flaw = param_error(param.name, param.type->expected);
    } else if (value == nullptr) {
      if (param.required && !flaw) flaw = param_error(param.name, param.type->expected);
    } else if (!value->is_null() && !param.type->fits(*value) && !flaw) {
      flaw = param_error(param.name, param.type->expected);
    }
  });
  if (known == given.size()) {
    if (flaw) return fail(std::move(*flaw));
    return LineParams(std::move(given));
  }
  const std::string names = names_of(takes);
  for (const auto& one : given) {
    bool is_known = false;
    for_each_param(takes, [&](const Declared& param) { is_known |= param.name == one.key(); });
    if (is_known) continue;
    return fail(ErrorKind::bad_request,
                "params: unknown key \"" + sanitize_utf8(first_bytes(one.key(), kShownKeyBytes)) +
                    "\"; " + std::string(method) + (names.empty() ? " has none" : " has " + names));
  }
  return LineParams(std::move(given));
}

std::string LineParams::text(std::string_view name, std::string_view absent) const {
  return given_text(name).value_or(std::string(absent));
}

std::optional<std::string> LineParams::given_text(std::string_view name) const {
  const json::value* const value = find(name);
  if (!value || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

std::vector<std::string> LineParams::texts(std::string_view name) const {
  std::vector<std::string> texts;
  if (const json::value* const value = find(name)) {
    for (const json::value& one : value->get_array()) texts.emplace_back(one.get_string());
  }
  return texts;
}

bool LineParams::flag(std::string_view name, bool absent) const {
  const json::value* const value = find(name);
  return value ? value->get_bool() : absent;
}

std::optional<std::uint64_t> LineParams::whole(std::string_view name) const {
  const json::value* const value = find(name);
  return value ? whole_of(*value) : std::nullopt;
}

std::optional<double> LineParams::number(std::string_view name) const {
  const json::value* const value = find(name);
  return value ? std::optional(value->to_number<double>()) : std::nullopt;
}

std::optional<std::chrono::milliseconds> LineParams::time(std::string_view name) const {
  const json::value* const value = find(name);
  return value ? time_of(*value) : std::nullopt;
}

std::optional<std::string> LineParams::bytes(std::string_view name) const {
  const json::value* const value = find(name);
  return value ? base64_decode(value->get_string()) : std::nullopt;
}

std::vector<std::string> LineParams::variables(std::string_view name) const {
  std::vector<std::string> variables;
  if (const json::value* const value = find(name)) {
    for (const auto& one : value->get_object()) {
      variables.push_back(std::string(one.key()) + "=" + std::string(one.value().get_string()));
    }
  }
  return variables;
}

std::string LineParams::who(std::string_view name) const {
  const json::value* const value = find(name);
  if (!value) return {};
  return value->is_string() ? std::string(value->get_string()) : std::to_string(*whole_of(*value));
}

json::value LineParams::take(std::string_view name) {
  json::value* const value = values_.if_contains(name);
  return value ? std::move(*value) : json::value();
}

Result<std::uint64_t> LineParams::whole_within(std::string_view name, std::uint64_t absent,
                                               std::uint64_t least, std::uint64_t most) const {
  const std::uint64_t number = whole(name).value_or(absent);
  if (!has(name) || (number >= least && number <= most)) return number;
  return fail(param_error(name, "expected a whole number from " + std::to_string(least) + " to " +
                                    std::to_string(most)));
}

Result<std::chrono::milliseconds> LineParams::time_within(std::string_view name,
                                                          std::chrono::milliseconds absent,
                                                          std::chrono::milliseconds least,
                                                          std::chrono::milliseconds most) const {
  const std::chrono::milliseconds found = time(name).value_or(absent);
  if (!has(name) || (found >= least && found <= most)) return found;
  return fail(param_error(
      name, "expected a time from " + in_seconds(least) + " to " + in_seconds(most) + " seconds"));
}

Result<std::size_t> LineParams::choice(std::string_view name, std::string_view words) const {
  const auto wanted = given_text(name);
  if (!wanted) return 0;
  std::string list;
  std::string_view rest = words;
  for (std::size_t at = 0; !rest.empty(); ++at) {
    const std::string_view word = next_word(rest);
    if (word == *wanted) return at;
    list += (list.empty() ? "'" : ", '") + std::string(word) + "'";
  }
  return fail(param_error(name, "expected one of " + list));
}

}  // namespace talaria::front::lines
