#include "web/html_to_markdown.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/text.h"
#include "web/html.h"
#include "web/markdown_writer.h"
#include "web/page_text.h"

namespace talaria::web {
namespace {

enum class Kind {
  plain,  // its contents only
  skipped,
  block,
  heading,
  bold,
  italic,
  struck,
  code,
  pre,
  link,
  image,
  line_break,
  rule,
  bullets,
  numbers,
  item,
  term,
  definition,
  quote,
  table,
  row,
  cell,
  title,
  base,
};

struct Row {
  std::string_view name;
  Kind kind;
};

using enum Kind;
constexpr auto kElements = std::to_array<Row>({
    {"a", link},           {"address", block},    {"article", block},  {"aside", skipped},
    {"audio", skipped},    {"b", bold},           {"base", base},      {"blockquote", quote},
    {"br", line_break},    {"button", skipped},   {"canvas", skipped}, {"caption", block},
    {"center", block},     {"code", code},        {"dd", definition},  {"del", struck},
    {"details", block},    {"div", block},        {"dl", block},       {"dt", term},
    {"em", italic},        {"embed", skipped},    {"fieldset", block}, {"figcaption", block},
    {"figure", block},     {"footer", skipped},   {"form", block},     {"h1", heading},
    {"h2", heading},       {"h3", heading},       {"h4", heading},     {"h5", heading},
    {"h6", heading},       {"header", block},     {"hr", rule},        {"i", italic},
    {"iframe", skipped},   {"img", image},        {"kbd", code},       {"li", item},
    {"main", block},       {"menu", bullets},     {"nav", skipped},    {"noscript", skipped},
    {"object", skipped},   {"ol", numbers},       {"option", skipped}, {"p", block},
    {"pre", pre},          {"s", struck},         {"samp", code},      {"script", skipped},
    {"section", block},    {"select", skipped},   {"strong", bold},    {"style", skipped},
    {"summary", block},    {"svg", skipped},      {"table", table},    {"td", cell},
    {"template", skipped}, {"textarea", skipped}, {"th", cell},        {"title", title},
    {"tr", row},           {"tt", code},          {"ul", bullets},     {"video", skipped},
});
static_assert(std::ranges::is_sorted(kElements, {}, &Row::name));

Kind kind_of(std::string_view name) {
  const auto found = std::ranges::lower_bound(kElements, name, {}, &Row::name);
  return found != kElements.end() && found->name == name ? found->kind : plain;
}

// Text that people do not see is left out.
bool is_hidden(const HtmlElement& element) {
  if (element.attribute("hidden")) return true;
  if (lower_case(element.attribute("aria-hidden").value_or("")) == "true") return true;
  std::string style = lower_case(element.attribute("style").value_or(""));
  std::erase(style, ' ');
  return style.contains("display:none") || style.contains("visibility:hidden");
}

std::size_t longest_run(std::string_view text, char c) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char one : text) {
    run = one == c ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string one_line(std::string_view text) {
  MarkdownWriter writer;
  writer.text(text);
  return writer.take();
}

// A part of the page that may be all of it that matters.
struct Part {
  int count = 0;
  int depth = 0;
  std::size_t begin = 0;
  std::size_t end = 0;

  void enter(std::size_t at) {
    if (depth++ > 0) return;
    if (++count == 1) begin = at;
  }
  void leave(std::size_t at) {
    if (--depth == 0 && count == 1) end = at;
  }
  bool is_the_only_one(std::size_t least) const {
    return count == 1 && end > begin && end - begin >= least;
  }
};

constexpr std::size_t kLeastMainBytes = 200;
constexpr std::size_t kLeastArticleBytes = 500;

class Maker final : public HtmlVisitor {
 public:
  explicit Maker(http::Url base) : base_(std::move(base)) {}

  bool enter(const HtmlElement& element) override;
  void leave(std::string_view name) override;
  void text(std::string_view text) override;

  MarkdownPage finish();

 private:
  struct List {
    bool ordered;
    int next = 1;
  };
  struct Table {
    bool layout;
    int rows = 0;
    int cells = 0;  // of the row it is at
  };

  void enter_list(const HtmlElement& element, bool ordered);
  void enter_item();
  void enter_link(const HtmlElement& element);
  void enter_cell();
  void leave_row();
  void leave_heading(std::string_view name);
  void leave_capture();
  void add_image(const HtmlElement& element);
  bool capture(Kind kind);
  std::string link_target(std::string_view reference) const;
  bool in_values() const { return !tables_.empty() && !tables_.back().layout; }

  http::Url base_;
  MarkdownWriter out_;
  std::string title_;
  std::string heading_;  // the first h1, for want of a title
  std::vector<List> lists_;
  std::vector<Table> tables_;
  std::vector<std::string> links_;  // targets of those that are open; empty: shown as text

  // Text that stays unchanged: of <pre>, <code> or <title>.
  Kind capturing_ = plain;
  int capture_depth_ = 0;
  std::string captured_;
  std::string language_;

  Part main_;
  Part article_;
};

std::string hashes(std::string_view name) {
  return std::string(static_cast<std::size_t>(name[1] - '0'), '#') + " ";
}

bool Maker::capture(Kind kind) {
  capturing_ = kind;
  capture_depth_ = 1;
  captured_.clear();
  language_.clear();
  if (kind == pre) out_.paragraph();
  return true;
}

bool Maker::enter(const HtmlElement& element) {
  const Kind kind = kind_of(element.name());
  if (capturing_ != plain) {
    if (kind == line_break) captured_ += '\n';
    const std::string_view style = element.attribute("class").value_or("");
    if (const auto at = style.find("language-"); at != std::string_view::npos) {
      const std::string_view word = style.substr(at + 9);
      language_ = word.substr(0, word.find_first_of(" \t\n`"));
    }
    ++capture_depth_;
    return true;
  }
  if (kind == skipped || is_hidden(element)) return false;
  switch (kind) {
    case pre:
    case code:
    case title:
      return capture(kind);
    case block:
    case term:
      out_.paragraph();
      break;
    case heading:
      out_.paragraph();
      out_.open(hashes(element.name()));
      out_.begin_flat(false);
      if (element.name() == "h1" && heading_.empty()) heading_.push_back('\n');
      break;
    case bold:
      out_.open("**");
      break;
    case italic:
      out_.open("*");
      break;
    case struck:
      out_.open("~~");
      break;
    case link:
      enter_link(element);
      break;
    case image:
      add_image(element);
      break;
    case line_break:
      out_.line();
      break;
    case rule:
      out_.paragraph();
      out_.word("---");
      out_.paragraph();
      break;
    case bullets:
    case numbers:
      enter_list(element, kind == numbers);
      break;
    case item:
      enter_item();
      break;
    case definition:
      out_.line();
      out_.push_prefix(": ", "  ");
      break;
    case quote:
      out_.paragraph();
      out_.push_prefix("> ", "> ");
      break;
    case table:
      out_.paragraph();
      tables_.push_back({.layout = element.is_layout()});
      break;
    case row:
      out_.line();
      if (in_values()) tables_.back().cells = 0;
      break;
    case cell:
      enter_cell();
      break;
    case base:
      if (const auto href = element.attribute("href")) {
        if (auto url = http::resolve_url(base_, *href)) base_ = std::move(*url);
      }
      break;
    default:
      break;
  }
  if (element.name() == "main") main_.enter(out_.size());
  if (element.name() == "article") article_.enter(out_.size());
  return true;
}

void Maker::leave(std::string_view name) {
  if (capturing_ != plain) {
    if (--capture_depth_ == 0) leave_capture();
    return;
  }
  if (name == "main") main_.leave(out_.size());
  if (name == "article") article_.leave(out_.size());
  switch (kind_of(name)) {
    case block:
      out_.paragraph();
      break;
    case heading:
      leave_heading(name);
      break;
    case bold:
      out_.close("**", "**");
      break;
    case italic:
      out_.close("*", "*");
      break;
    case struck:
      out_.close("~~", "~~");
      break;
    case link:
      if (!links_.back().empty()) out_.close("[", "](" + links_.back() + ")");
      links_.pop_back();
      break;
    case bullets:
    case numbers:
      lists_.pop_back();
      if (lists_.empty()) {
        out_.paragraph();
      } else {
        out_.line();
      }
      break;
    case item:
    case definition:
      out_.pop_prefix();
      out_.line();
      break;
    case quote:
      out_.pop_prefix();
      out_.paragraph();
      break;
    case table:
      tables_.pop_back();
      out_.paragraph();
      break;
    case row:
      leave_row();
      break;
    case cell:
      if (in_values()) {
        out_.end_flat();
      } else {
        out_.line();
      }
      break;
    default:
      break;
  }
}

void Maker::text(std::string_view text) {
  if (capturing_ != plain) {
    captured_ += text;
    return;
  }
  if (heading_.starts_with('\n')) heading_ += text;
  out_.text(text);
}

void Maker::leave_heading(std::string_view name) {
  out_.end_flat();
  out_.close(hashes(name), "");
  out_.paragraph();
  if (name == "h1" && heading_.starts_with('\n')) heading_ = one_line(heading_);
}

void Maker::leave_capture() {
  const Kind kind = std::exchange(capturing_, plain);
  if (kind == title) {
    if (title_.empty()) title_ = one_line(captured_);
    return;
  }
  if (kind == code) {
    const std::string inner = one_line(captured_);
    if (inner.empty()) return out_.text(captured_);
    const std::string fence(longest_run(inner, '`') + 1, '`');
    const std::string room = fence.size() > 1 ? " " : "";
    out_.word(fence + room + inner + room + fence);
    return;
  }
  const std::size_t begin = std::min(captured_.find_first_not_of("\r\n"), captured_.size());
  const std::size_t end = captured_.find_last_not_of(" \t\r\n") + 1;
  if (begin >= end) return;
  const std::string fence(std::max<std::size_t>(3, longest_run(captured_, '`') + 1), '`');
  out_.verbatim(fence + language_);
  out_.verbatim(std::string_view(captured_).substr(begin, end - begin));
  out_.verbatim(fence);
  out_.paragraph();
}

void Maker::enter_list(const HtmlElement& element, bool ordered) {
  if (lists_.empty()) {
    out_.paragraph();
  } else {
    out_.line();
  }
  List list{.ordered = ordered};
  const std::string_view start = element.attribute("start").value_or("").substr(0, 6);
  std::from_chars(start.data(), start.data() + start.size(), list.next);
  lists_.push_back(list);
}

void Maker::enter_item() {
  out_.line();
  const bool ordered = !lists_.empty() && lists_.back().ordered;
  const std::string sign = ordered ? std::to_string(lists_.back().next++) + ". " : "- ";
  out_.push_prefix(sign, std::string(sign.size(), ' '));
}

std::string Maker::link_target(std::string_view reference) const {
  const std::string_view target = trim(reference);
  if (target.empty() || target.starts_with('#')) return {};
  if (target.starts_with("mailto:") && target.find_first_of(" \t\n()") == target.npos)
    return std::string(target);
  const auto url = http::resolve_url(base_, target);
  if (!url) return {};
  std::string text;
  for (const char c : url->text()) {
    if (c == '(' || c == ')') {
      text += c == '(' ? "%28" : "%29";
    } else {
      text += c;
    }
  }
  return text;
}

void Maker::enter_link(const HtmlElement& element) {
  links_.push_back(link_target(element.attribute("href").value_or("")));
  if (!links_.back().empty()) out_.open("[");
}

void Maker::add_image(const HtmlElement& element) {
  const std::string alt = one_line(element.attribute("alt").value_or(""));
  const std::string_view source = trim(element.attribute("src").value_or(""));
  if (lower_case(source.substr(0, 5)) == "data:") {
    out_.word("![" + alt + "](" + std::string(kImageRemoved) + ")");
    return;
  }
  const std::string target = link_target(source);
  if (!alt.empty() && !target.empty()) out_.word("![" + alt + "](" + target + ")");
}

void Maker::enter_cell() {
  if (!in_values()) return out_.line();
  out_.join();
  out_.word(++tables_.back().cells == 1 ? "| " : " | ");
  out_.begin_flat(true);
}

void Maker::leave_row() {
  if (!in_values() || tables_.back().cells == 0) return;
  Table& at = tables_.back();
  out_.join();
  out_.word(" |");
  if (++at.rows > 1) return;
  std::string line;
  for (int i = 0; i < at.cells; ++i) line += "| --- ";
  out_.line();
  out_.word(line + "|");
}

MarkdownPage Maker::finish() {
  std::string content = out_.take();
  for (const auto& [part, least] :
       {std::pair(main_, kLeastMainBytes), std::pair(article_, kLeastArticleBytes)}) {
    if (!part.is_the_only_one(least)) continue;
    content = content.substr(part.begin, part.end - part.begin);
    break;
  }
  return {.title = title_.empty() ? heading_ : title_, .content = std::string(trim(content))};
}

}  // namespace

Result<MarkdownPage> html_to_markdown(std::string_view html, const http::Url& base) {
  Maker maker(base);
  if (const auto visited = visit_html(html, maker); !visited) return fail(visited.error());
  MarkdownPage page = maker.finish();
  return page;
}

}  // namespace talaria::web
