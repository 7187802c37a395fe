#include "web/markdown_writer.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "web/limits.h"

namespace talaria::web {
namespace {

constexpr std::size_t kMaxPrefixes = 12;
constexpr std::size_t kMaxMarkdownBytes = 2 * kMaxWebReadableChars;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

bool MarkdownWriter::full() const { return out_.size() > kMaxMarkdownBytes; }

void MarkdownWriter::write_prefix(bool blank) {
  std::string prefix;
  for (Prefix& one : prefixes_) {
    prefix += blank || one.used ? one.others : one.first;
    if (!blank) one.used = true;
  }
  if (blank) prefix.resize(prefix.find_last_not_of(' ') + 1);
  out_ += prefix;
}

void MarkdownWriter::begin() {
  if (out_.empty()) newlines_ = 0;
  const bool new_line = fresh_line_ || newlines_ > 0;
  if (newlines_ > 0) out_ += '\n';
  if (newlines_ > 1) {
    write_prefix(true);
    out_ += '\n';
  }
  if (new_line) {
    write_prefix(false);
  } else if (space_ && !out_.ends_with(' ')) {
    out_ += ' ';
  }
  newlines_ = 0;
  space_ = false;
  fresh_line_ = false;
  for (const std::string& mark : std::exchange(marks_, {})) out_ += mark;
}

void MarkdownWriter::word(std::string_view word) {
  if (word.empty() || full()) return;
  begin();
  if (!cell_) {
    out_ += word;
    return;
  }
  for (const char c : word) {
    if (c == '|') out_ += '\\';
    out_ += c;
  }
}

void MarkdownWriter::text(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::ranges::find_if(text, is_space);
    const auto size = static_cast<std::size_t>(end - text.begin());
    word(text.substr(0, size));
    if (size < text.size()) space_ = true;
    text.remove_prefix(std::min(size + 1, text.size()));
  }
}

void MarkdownWriter::open(std::string mark) { marks_.push_back(std::move(mark)); }

void MarkdownWriter::close(std::string_view mark, std::string_view closing) {
  if (!marks_.empty() && marks_.back() == mark) {
    marks_.pop_back();
  } else if (!full()) {
    out_ += closing;
  }
}

void MarkdownWriter::join() { space_ = false; }

void MarkdownWriter::want_newlines(int count) {
  if (flat_ > 0) {
    space_ = true;
    return;
  }
  // Directly after "- " there is no paragraph to separate.
  if (!prefixes_.empty() && !prefixes_.back().used) count = std::min(count, 1);
  newlines_ = std::max(newlines_, count);
}

void MarkdownWriter::paragraph() { want_newlines(2); }
void MarkdownWriter::line() { want_newlines(1); }

void MarkdownWriter::verbatim(std::string_view lines) {
  for (bool more = true; more && !full();) {
    const std::size_t end = lines.find('\n');
    more = end != std::string_view::npos;
    line();
    begin();
    out_ += lines.substr(0, end);
    if (more) lines.remove_prefix(end + 1);
  }
}

void MarkdownWriter::push_prefix(std::string first, std::string others) {
  if (prefixes_.size() >= kMaxPrefixes) {
    ++ignored_prefixes_;
  } else {
    prefixes_.push_back({std::move(first), std::move(others)});
  }
}

void MarkdownWriter::pop_prefix() {
  if (ignored_prefixes_ > 0) {
    --ignored_prefixes_;
  } else if (!prefixes_.empty()) {
    prefixes_.pop_back();
  }
}

void MarkdownWriter::begin_flat(bool cell) {
  ++flat_;
  cell_ = cell_ || cell;
}

void MarkdownWriter::end_flat() {
  if (--flat_ == 0) cell_ = false;
}

}  // namespace talaria::web
