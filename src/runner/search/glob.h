// Glob: a pattern for paths, with the meaning it has in a .gitignore: `*` and `?` stay within one
// name, `**` as a whole part of a path is any number of parts, `[a-z]`, `[!a]`, `{a,b}`, and `\`
// takes the meaning from what follows. Bytes are compared, not characters.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace talaria::runner {

class Glob {
 public:
  // The error says what is wrong with it.
  static Result<Glob> parse(std::string_view text);

  // `name` is the last part of `path`, which does not begin with a slash.
  bool matches(std::string_view path, std::string_view name) const;

 private:
  // Most are one of the first three, and need no regular expression.
  enum class Form { name, name_end, path, regex };

  Form form_ = Form::regex;
  std::string literal_;
  std::shared_ptr<const re2::RE2> regex_;
};

}  // namespace talaria::runner
