#include "front/cli/install/json_members.h"

#include <cstddef>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/text.h"

namespace talaria::front::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view kStep = "  ";

Result<json::value> parsed(std::string_view text) {
  json::parse_options options;
  options.allow_comments = true;
  options.allow_trailing_commas = true;
  boost::system::error_code error;
  json::value value = json::parse(json::string_view(text.data(), text.size()), error, {}, options);
  if (error) return fail(ErrorKind::bad_request, "invalid JSON: " + error.message());
  return value;
}

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Member {
  std::string key;
  std::size_t begin = 0;  // of the key
  Range value;
};

struct Shape {  // of an object
  Range range;  // with its braces
  std::vector<Member> members;
  bool comma_at_end = false;
  std::size_t behind_comma = 0;
};

// Positions in a text that is valid JSON.
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  Shape object_at(std::size_t at) {
    at_ = at;
    Shape shape{.range = {at, at}};
    ++at_;
    for (skip_blanks(); here() != '}'; skip_blanks()) {
      Member member{.begin = at_};
      skip_string();
      member.key = key_of(text_.substr(member.begin, at_ - member.begin));
      skip_blanks();
      ++at_;  // the colon
      skip_blanks();
      member.value.begin = at_;
      skip_value();
      member.value.end = at_;
      shape.members.push_back(std::move(member));
      skip_blanks();
      shape.comma_at_end = here() == ',';
      if (shape.comma_at_end) shape.behind_comma = ++at_;
    }
    shape.range.end = at_ + 1;
    return shape;
  }

  std::size_t first() {
    at_ = 0;
    skip_blanks();
    return at_;
  }

 private:
  char here() const { return at_ < text_.size() ? text_[at_] : '}'; }

  static std::string key_of(std::string_view quoted) {
    return std::string(parsed(quoted).value_or("").as_string());
  }

  void skip_blanks() {
    for (;;) {
      while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
      if (text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_).starts_with("/*")) {
        at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
      } else {
        return;
      }
    }
  }

  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
    ++at_;
  }

  void skip_value() {
    if (here() == '"') return skip_string();
    if (here() != '{' && here() != '[') {
      at_ = std::min(text_.find_first_of(",}] \t\r\n/", at_), text_.size());
      return;
    }
    std::size_t depth = 0;
    do {
      skip_blanks();
      if (at_ >= text_.size()) return;
      if (here() == '"') {
        skip_string();
        continue;
      }
      if (here() == '{' || here() == '[') ++depth;
      if (here() == '}' || here() == ']') --depth;
      ++at_;
    } while (depth > 0);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// The white space at the beginning of the line of `at`.
std::string indent_of(std::string_view text, std::size_t at) {
  const std::size_t line = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
  const std::size_t end = std::min(text.find_first_not_of(" \t", begin), text.size());
  return std::string(text.substr(begin, end - begin));
}

std::string quoted(std::string_view text) { return json::serialize(json::string(text)); }

std::string with_member(std::string_view text, const Shape& shape, std::string_view key,
                        const json::value& value) {
  const std::string outer = indent_of(text, shape.range.begin);
  const bool own_lines =
      !shape.members.empty() &&
      text.substr(shape.range.begin, shape.members[0].begin - shape.range.begin).contains('\n');
  const std::string indent =
      own_lines ? indent_of(text, shape.members[0].begin) : outer + std::string(kStep);
  std::string added = "\n" + indent + quoted(key) + ": " + laid_out(value, indent);
  std::size_t at = shape.range.begin + 1;
  if (shape.comma_at_end) {
    at = shape.behind_comma;
  } else if (!shape.members.empty()) {
    at = shape.members.back().value.end;
    added.insert(0, ",");
  }
  if (!text.substr(at, shape.range.end - at).contains('\n')) added += "\n" + outer;
  return std::string(text.substr(0, at)) + added + std::string(text.substr(at));
}

json::value nested(std::span<const std::string_view> path, const json::value& value) {
  if (path.empty()) return value;
  return json::object{{path[0], nested(path.subspan(1), value)}};
}

}  // namespace

std::string laid_out(const json::value& value, std::string_view indent) {
  const json::object* const object = value.if_object();
  if (object == nullptr || object->empty()) return json::serialize(value);
  const std::string inner = std::string(indent) + std::string(kStep);
  std::string text = "{";
  for (const auto& [key, member] : *object) {
    text += (text.size() > 1 ? ",\n" : "\n") + inner + quoted(key) + ": " + laid_out(member, inner);
  }
  return text + "\n" + std::string(indent) + "}";
}

Result<std::string> set_json_member(std::string_view text, std::span<const std::string_view> path,
                                    const json::value& value) {
  if (trim(text).empty()) text = "{}\n";
  auto root = parsed(text);
  if (!root) return fail(root.error());
  json::value* inside = &*root;
  JsonScanner scanner(text);
  std::size_t at = scanner.first();
  for (std::size_t i = 0; i < path.size(); ++i) {
    json::object* const object = inside->if_object();
    if (object == nullptr) {
      return fail(ErrorKind::bad_request,
                  i == 0 ? "it is not an object" : quoted(path[i - 1]) + " is not an object");
    }
    const Shape shape = scanner.object_at(at);
    const Member* found = nullptr;
    for (const Member& member : shape.members) {
      if (member.key != path[i]) continue;
      if (found) return fail(ErrorKind::bad_request, quoted(path[i]) + " is there twice");
      found = &member;
    }
    const bool last = i + 1 == path.size();
    if (found && !last) {
      at = found->value.begin;
      inside = &(*object)[path[i]];
      continue;
    }
    if (found && (*object)[path[i]] == value) return std::string(text);
    std::string changed(text);
    if (found) {
      const std::string fresh = laid_out(value, indent_of(text, found->begin));
      changed.replace(found->value.begin, found->value.end - found->value.begin, fresh);
    } else {
      changed = with_member(text, shape, path[i], nested(path.subspan(i + 1), value));
    }
    (*object)[path[i]] = nested(path.subspan(i + 1), value);
    // Nothing else may have changed.
    const auto again = parsed(changed);
    if (!again || *again != *root) {
      return fail(ErrorKind::bad_request, "its layout is not supported");
    }
    return changed;
  }
  return std::string(text);
}

}  // namespace talaria::front::cli
