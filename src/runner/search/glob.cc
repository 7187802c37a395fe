#include "runner/search/glob.h"

#include <re2/re2.h>

#include <array>
#include <optional>

#include "base/text.h"

namespace talaria::runner {
namespace {

constexpr std::string_view kSpecial = "*?[]{}\\";

bool is_literal(std::string_view text) {
  return text.find_first_of(kSpecial) == std::string_view::npos;
}

// GlobParser: makes a regular expression of a glob.
class GlobParser {
 public:
  explicit GlobParser(std::string_view text) : text_(text) {}

  Result<std::string> parse() {
    while (at_ < text_.size()) {
      if (const auto done = parse_one(); !done) return fail(done.error());
    }
    if (in_braces_) return wrong("a { that is never closed");
    return out_;
  }

 private:
  static std::unexpected<Error> wrong(std::string_view what) {
    return fail(ErrorKind::bad_request, std::string(what));
  }

  Result<void> parse_one() {
    const char c = text_[at_++];
    switch (c) {
      case '?':
        out_ += "[^/]";
        return {};
      case '*':
        parse_star();
        return {};
      case '[':
        return parse_class();
      case '{':
        if (in_braces_) return wrong("a { inside of { }");
        in_braces_ = true;
        out_ += "(?:";
        return {};
      case '}':
        if (!in_braces_) return wrong("a } without its {");
        in_braces_ = false;
        out_ += ")";
        return {};
      case ',':
        if (in_braces_) {
          out_ += "|";
        } else {
          add_literal(c);
        }
        return {};
      case '\\':
        if (at_ == text_.size()) return wrong("a \\ with nothing behind it");
        add_literal(text_[at_++]);
        return {};
      default:
        add_literal(c);
        return {};
    }
  }

  // Behind the first star of one or two.
  void parse_star() {
    const std::size_t begin = at_ - 1;
    if (at_ == text_.size() || text_[at_] != '*') {
      out_ += "[^/]*";
      return;
    }
    ++at_;
    const bool ends =
        at_ == text_.size() || (in_braces_ && (text_[at_] == ',' || text_[at_] == '}'));
    const bool before_slash = at_ < text_.size() && text_[at_] == '/';
    if (begin == 0 && (ends || before_slash)) {  // "**/a", "**"
      out_ += "(?:/?|.*/)";
      at_ += before_slash ? 1 : 0;
      if (ends) out_ += ".*";
      // "**/**/a" is no more than "**/a".
      while (text_.substr(at_).starts_with("**/")) at_ += 3;
      return;
    }
    const bool behind_slash = begin > 0 && text_[begin - 1] == '/';
    if (behind_slash && (ends || before_slash)) {  // "a/**", "a/**/b": the slash is part of it
      out_.resize(out_.size() - kSlash.size());
      if (ends) {
        out_ += "/.*";
        return;
      }
      out_ += "(?:/|/.*/)";
      ++at_;
      while (text_.substr(at_).starts_with("**/")) at_ += 3;
      return;
    }
    out_ += "[^/]*";
  }

  Result<void> parse_class() {
    std::string set;
    bool negated = false;
    if (at_ < text_.size() && (text_[at_] == '!' || text_[at_] == '^')) {
      negated = true;
      ++at_;
    }
    const std::size_t begin = at_;
    std::optional<char> last;
    for (;; ++at_) {
      if (at_ >= text_.size()) return wrong("a [ that is never closed");
      const char c = text_[at_];
      if (c == ']' && at_ > begin) break;
      const bool range = c == '-' && last && at_ + 1 < text_.size() && text_[at_ + 1] != ']';
      if (!range) {
        set += escaped(c);
        last = c;
        continue;
      }
      const char to = text_[++at_];
      if (static_cast<unsigned char>(to) < static_cast<unsigned char>(*last)) {
        return wrong("a range that ends before it begins");
      }
      set += "-" + escaped(to);
      last.reset();
    }
    ++at_;
    out_ += (negated ? "[^" : "[") + set + "]";
    return {};
  }

  static std::string escaped(char c) { return "\\x" + to_hex({&c, 1}); }
  void add_literal(char c) { out_ += escaped(c); }

  static constexpr std::string_view kSlash = "\\x2f";

  std::string_view text_;
  std::size_t at_ = 0;
  bool in_braces_ = false;
  std::string out_;
};

}  // namespace

Result<Glob> Glob::parse(std::string_view text) {
  Glob glob;
  constexpr std::string_view kAnywhere = "**/";
  const std::string_view rest = text.starts_with(kAnywhere) ? text.substr(kAnywhere.size()) : text;
  const bool one_name = rest.size() < text.size() && !rest.contains('/');
  if (one_name && is_literal(rest)) {
    glob.form_ = Form::name;
    glob.literal_ = rest;
    return glob;
  }
  if (one_name && rest.starts_with('*') && is_literal(rest.substr(1))) {
    glob.form_ = Form::name_end;
    glob.literal_ = rest.substr(1);
    return glob;
  }
  if (is_literal(text)) {
    glob.form_ = Form::path;
    glob.literal_ = text;
    return glob;
  }
  const auto expression = GlobParser(text).parse();
  if (!expression) return fail(expression.error());
  re2::RE2::Options options;
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_dot_nl(true);
  options.set_log_errors(false);
  glob.regex_ = std::make_shared<const re2::RE2>(*expression, options);
  if (!glob.regex_->ok()) return fail(ErrorKind::bad_request, glob.regex_->error());
  return glob;
}

bool Glob::matches(std::string_view path, std::string_view name) const {
  switch (form_) {
    case Form::name:
      return name == literal_;
    case Form::name_end:
      return name.ends_with(literal_);
    case Form::path:
      return path == literal_;
    case Form::regex:
      break;
  }
  return re2::RE2::FullMatch(re2::StringPiece(path.data(), path.size()), *regex_);
}

}  // namespace talaria::runner
