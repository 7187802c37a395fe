// Here-documents: where they end, and what is in them.
#include <algorithm>
#include <utility>

#include "policy/guard/syntax/script_reader.h"

namespace talaria::guard {
namespace {

// Takes the quotes off a delimiter as bash does. Any of them makes the body literal.
void read_delimiter(std::string_view raw, HereDocument& document) {
  char quote = '\0';
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    const char next = i + 1 < raw.size() ? raw[i + 1] : '\0';
    if (c == '\\' && next == '\n' && quote != '\'') {
      ++i;  // the two lines are one
    } else if (quote == '\0' && c == '$' && next == '\'') {
      std::size_t end = i + 2;
      while (end < raw.size() && raw[end] != '\'') end += raw[end] == '\\' ? 2 : 1;
      document.delimiter += decode_c_quoted(raw.substr(i + 2, end - i - 2));
      document.literal = true;
      i = end;
    } else if (quote == '\0' && c == '$' && next == '"') {
      continue;  // a text to be translated
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      document.literal = true;
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else if (c == '\\' && (quote == '\0' || (quote == '"' && is_escaped_in_quotes(next)))) {
      document.literal = true;
      if (++i < raw.size()) document.delimiter += next;
    } else {
      document.delimiter += c;
    }
  }
}

// An odd number of backslashes at its end: the next line belongs to it.
bool is_continued(std::string_view line) {
  const std::size_t last = line.find_last_not_of('\\');
  return (line.size() - (last == std::string_view::npos ? 0 : last + 1)) % 2 == 1;
}

}  // namespace

// The word behind <<. Nothing in it is expanded.
void ScriptReader::read_document_word(ShellRedirect& redirect) {
  const std::size_t begin = at_;
  ReadState apart;  // what it would mean as a word is of no interest
  ScriptReader words(text_.substr(begin), apart);
  const ShellWord word = words.read_word();
  if (!apart.trouble.empty()) return fail(apart.trouble);
  at_ = begin + words.at_;
  const std::string_view raw = text_.substr(begin, at_ - begin);
  // which quotes inside a substitution stay is bash's secret
  const bool has_detail =
      std::ranges::any_of(word.parts, [](const WordPart& part) { return part.detail != nullptr; });
  if (has_detail && raw.find_first_of("'\"\\") != std::string_view::npos) {
    return fail("the end of a here-document is not understood");
  }
  read_delimiter(raw, *redirect.document);
  documents_.push_back(redirect.document.get());
}

// Called behind the end of a line: the bodies of what began on it.
void ScriptReader::read_documents() {
  for (HereDocument* document : std::exchange(documents_, {})) {
    std::string body;
    std::vector<std::size_t> origins;
    std::string joined;         // what a backslash at its end made one with the next line
    std::size_t beginning = 0;  // of that, in the body
    std::size_t tabs = 0;       // that were taken off it
    bool open = false;
    while (!at_end()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      std::size_t from = at_;
      if (!open) {
        joined.clear();
        beginning = body.size();
        if (document->strips_tabs) {
          tabs = std::min(line.find_first_not_of('\t'), line.size());
          line.remove_prefix(tabs);
          from += tabs;
        }
      }
      at_ = std::min(end + 1, text_.size());
      open = !document->literal && is_continued(line);
      joined += line.substr(0, line.size() - (open ? 1 : 0));
      // with its tabs, too
      if (!open && (joined == document->delimiter ||
                    (tabs > 0 && std::string(tabs, '\t') + joined == document->delimiter))) {
        body.resize(beginning);
        origins.resize(std::min(beginning, origins.size()));
        break;
      }
      if (!document->literal) {
        for (std::size_t i = 0; i <= line.size(); ++i) origins.push_back(origin(from + i));
      }
      body.append(line);
      body += '\n';
    }
    if (document->literal) {
      add_text(document->body, body, true);
    } else {
      document->body = ScriptReader(body, state_, 0, origins).read_document_body();
      if (failed()) at_ = text_.size();
    }
  }
}

}  // namespace talaria::guard
