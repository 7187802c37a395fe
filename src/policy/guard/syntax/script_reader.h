// ScriptReader: reads a shell text the way bash's own parser does, in one pass from left to right.
// What bash would refuse, and what this reader does not know, is trouble: nothing of such a text
// may be trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/syntax/shell_syntax.h"

namespace talaria::guard {

// Bounds, for texts made to be slow. Nobody writes such commands.
inline constexpr int kMaxNesting = 60;
inline constexpr int kMaxScriptCommands = 10'000;
inline constexpr int kMaxScriptWords = 40'000;
inline constexpr int kMaxSecondTries = 64;  // "((" may be arithmetic or two subshells

struct Script {
  ShellList list;
  std::string trouble;  // why it could not be read; empty: it could
};

Script read_script(std::string_view text);

// Shared by a reader and those for the texts inside its text.
struct ReadState {
  int nesting = 0;
  int commands = 0;
  int words = 0;
  int second_tries = 0;
  std::string trouble;
};

class ScriptReader {
 public:
  // Positions are given as `origins` has them, or counted from `base`.
  ScriptReader(std::string_view text, ReadState& state, std::size_t base = 0,
               std::span<const std::size_t> origins = {});

  ShellList read_all();
  ShellWord read_document_body();  // all of the text is the body of a here-document

 private:
  enum class Quotes : std::uint8_t { none, doubled, document };

  // Where the reader stood, to try again.
  struct Mark {
    std::size_t at;
    std::vector<HereDocument*> documents;
  };

  // commands (script_reader.cc)
  ShellList read_list();
  ShellPipeline read_pipeline();
  AfterPipeline read_separator();
  ShellCommand read_command();
  ShellCommand read_simple();
  bool read_function_head(ShellCommand& command);
  void read_redirects(ShellCommand& command);
  bool read_redirect(std::vector<ShellRedirect>& redirects);
  bool at_list_end() const;
  bool at_redirect() const;
  bool at_command_end() const;

  // here-documents (document_reader.cc)
  void read_document_word(ShellRedirect& redirect);
  void read_documents();

  // compound commands (compound_reader.cc)
  bool read_compound(ShellCommand& command);
  void read_branch(ShellCommand& command);
  void read_loop(ShellCommand& command);
  void read_for(ShellCommand& command);
  void read_do_group(ShellCommand& command);
  void read_choice(ShellCommand& command);
  void read_condition(ShellCommand& command);
  void read_parentheses(ShellCommand& command);
  void read_named_function(ShellCommand& command);
  void read_coprocess(ShellCommand& command);
  ShellWord read_regex();

  // words (word_reader.cc)
  ShellWord read_word(bool patterns = true);
  void read_pattern_group(ShellWord& word);
  // Behind the command's name only arrays are assignments (declare x=(1 2)).
  bool read_assignment(std::vector<ShellAssignment>& assignments, bool only_array);
  void read_array(ShellAssignment& assignment);
  void read_until(ShellWord& word, char stop, Quotes quotes, bool single_quotes = true);
  void read_escape(ShellWord& word, Quotes quotes);
  void read_single_quoted(ShellWord& word);
  void read_double_quoted(ShellWord& word);
  void read_c_quoted(ShellWord& word);

  // expansions (expansion_reader.cc)
  void read_dollar(ShellWord& word, Quotes quotes);
  void read_braced(ShellWord& word, Quotes quotes);
  void read_braced_operation(PartDetail& detail, Quotes quotes);
  void read_command_substitution(ShellWord& word, bool quoted);
  void read_backquoted(ShellWord& word, Quotes quotes);
  void read_process_substitution(ShellWord& word);
  bool read_arithmetic(ShellWord& expression);  // behind "(("; false: it is something else
  void read_old_arithmetic(ShellWord& word, bool quoted);

  // characters
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool at_end() const { return at_ >= text_.size(); }
  std::string_view rest() const { return at_end() ? std::string_view() : text_.substr(at_); }
  bool looking_at(std::string_view what) const { return rest().starts_with(what); }
  bool take(std::string_view what);
  bool take_reserved(std::string_view word);  // with the blanks before it
  void expect_reserved(std::string_view word);
  std::string_view raw_word() const;  // up to the next character that ends words
  void skip_blanks();
  void skip_lines();  // blanks, comments, line ends
  void take_line_end();
  std::size_t origin(std::size_t at) const;
  void fail(std::string why);
  bool failed() const { return !state_.trouble.empty(); }
  bool enter();
  void leave() { --state_.nesting; }
  Mark mark() const { return {at_, documents_}; }
  bool back_to(Mark mark);

  std::string_view text_;
  ReadState& state_;
  std::size_t base_;
  std::span<const std::size_t> origins_;
  std::size_t at_ = 0;
  std::vector<HereDocument*> documents_;  // begun on this line, their bodies are still to come
};

void add_text(ShellWord& word, std::string_view text, bool quoted);
bool is_name_start(char c);
bool is_name_char(char c);
bool ends_word(char c);             // outside quotes
bool is_escaped_in_quotes(char c);  // by a backslash between double quotes

// Numbers in escapes.
int digit_value(char c);  // 99: it is none
// Up to `most` digits of that base, from `at` on.
std::uint32_t take_number(std::string_view text, std::size_t& at, std::size_t most, int base);
void append_utf8(std::string& out, std::uint32_t code);
std::string decode_c_quoted(std::string_view text);  // what stands between $' and '

}  // namespace talaria::guard
