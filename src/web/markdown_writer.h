// MarkdownWriter: text with its layout. A new paragraph, a space or an opening mark is written only
// when text follows, so that nothing empty is left.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talaria::web {

class MarkdownWriter {
 public:
  void text(std::string_view text);  // runs of white space become one space
  void word(std::string_view word);  // as it is

  // Marks on both sides of a text, such as "**"; none if there is no text.
  void open(std::string mark);
  void close(std::string_view mark, std::string_view closing);

  void join();                            // forgets the space before what follows
  void paragraph();                       // what follows begins one
  void line();                            // what follows begins a line
  void verbatim(std::string_view lines);  // each a line of its own

  // The prefix of lines from now on: "- " before the first, "  " before the others.
  void push_prefix(std::string first, std::string others);
  void pop_prefix();

  // All on one line, as in a heading; in a cell also without bars.
  void begin_flat(bool cell);
  void end_flat();

  std::size_t size() const { return out_.size(); }
  std::string take() { return std::move(out_); }

 private:
  struct Prefix {
    std::string first;
    std::string others;
    bool used = false;
  };

  bool full() const;
  void begin();  // writes what is pending before a text
  void write_prefix(bool blank);
  void want_newlines(int count);

  std::string out_;
  std::vector<Prefix> prefixes_;
  std::size_t ignored_prefixes_ = 0;
  std::vector<std::string> marks_;  // opened and not yet written
  int newlines_ = 0;                // wanted before the next text; 2 leave a blank line
  bool space_ = false;              // likewise
  bool fresh_line_ = true;
  int flat_ = 0;
  bool cell_ = false;
};

}  // namespace talaria::web
