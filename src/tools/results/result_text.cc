#include "tools/results/result_text.h"

#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "base/text.h"
#include "json/json_text.h"

namespace talaria::tool {
namespace {

constexpr std::size_t kOneLine = 500;  // bytes of JSON

void append(std::string& text, const std::string& name, const json::value& value) {
  if (std::string line = to_line(value); line.size() <= kOneLine || value.is_number()) {
    text += name + ": " + line + "\n";
  } else if (const auto* long_text = value.if_string()) {
    text += name + ":\n" + sanitize_utf8(*long_text);
    if (!text.ends_with('\n')) text += '\n';
  } else if (const auto* list = value.if_array()) {
    for (std::size_t at = 0; at < list->size(); ++at) {
      append(text, name + "[" + std::to_string(at) + "]", (*list)[at]);
    }
  } else if (const auto* object = value.if_object()) {
    for (const auto& [key, inner] : *object) {
      append(text, name + "." + sanitize_utf8(key), inner);
    }
  }
}

}  // namespace

std::string result_text(const json::object& result) {
  std::string text;
  for (const auto& [name, value] : result) append(text, sanitize_utf8(name), value);
  return text;
}

}  // namespace talaria::tool
