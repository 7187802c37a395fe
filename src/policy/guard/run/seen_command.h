// A command as bash would run it, as far as the text tells: its words after every expansion, where
// its input comes from and where its output goes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/guard/path_text.h"
#include "policy/guard/syntax/shell_syntax.h"

namespace talaria::guard {

// Stands in a word for what is not known. No argument of a program can hold it.
inline constexpr char kUnknownPiece = '\0';

// And in a text that is read as a script.
inline constexpr std::string_view kUnknownVariable = "${__unknown__}";

struct SeenWord {
  std::string text;
  bool pattern = false;    // it has * ? [ outside quotes, which stand for names of files
  bool several = false;    // a piece of it is not known and was not quoted: it may be any number
  bool temporary = false;  // it is what mktemp has just made, and nothing else
  bool customary = false;  // it is the tool that $CC and its like usually name
  bool listed = false;     // it is what a search or a list has printed
  bool guessed = false;    // where it is is not known: it is taken for a file of the home
  std::string secret;      // the variable in it whose name says that its value is a secret

  bool known() const { return !text.contains(kUnknownPiece); }
};

// A path that a search or a list has printed; DIR/* is all that is there.
inline SeenWord listed_word(std::string path) {
  const bool all = path.ends_with("/*");
  return {.text = std::move(path), .pattern = all, .listed = true};
}

// What a command reads when it reads its standard input.
struct SeenInput {
  enum class Kind {
    inherited,  // nothing that the caller gave
    file,
    pipe,
    document,  // also what the caller gave
    process,   // <(…)
    open,      // it is written while the command runs
  };

  Kind kind = Kind::inherited;
  std::shared_ptr<const std::string> text;  // null: not known
  std::vector<std::string> producers;       // the programs that write it, of a pipe
  std::vector<std::string> paths;           // that it lists, where its text is not known
};

struct SeenRedirect {
  ShellRedirect::Kind kind = ShellRedirect::Kind::input;
  int descriptor = 0;
  SeenWord target;

  bool writes() const {
    return kind == ShellRedirect::Kind::output || kind == ShellRedirect::Kind::append ||
           kind == ShellRedirect::Kind::both;
  }
};

// NAME=value in front of a command.
struct SeenAssignment {
  std::string name;
  SeenWord value;
};

struct SeenCommand {
  std::vector<SeenWord> words;
  std::vector<SeenAssignment> variables;  // set for it, of those a rule or a program cares about
  std::string program;  // its name without the directory; empty: not known, or a function
  std::vector<SeenRedirect> redirects;
  SeenInput input;
  std::map<int, SeenInput> descriptors;  // what else it may read from
  std::vector<SeenInput> processes;      // of <(…) among its words
  std::string directory;                 // where it runs, from the root; empty: not known
  bool from_start = false;               // which is, or is relative to, where the whole text starts
  bool lost = false;                     // a `cd` led it there, and nobody knows where that is
  std::string run_by;       // the command in front that runs it: sudo, xargs, find -exec, …
  bool elsewhere = false;   // on another machine or in a container
  bool guessed = false;     // its name is only a possible one
  bool by_program = false;  // another program starts it, so that it is no function
  bool background = false;
  std::vector<std::string> substituted;  // programs whose output is among its words
  bool backquotes = false;               // and that is written with `…`
  bool once = true;                      // not in a loop or a branch
  bool by_port = false;                  // xargs has its words from who listens on a port

  // Whether it is the program that its name stands for, and not a file called like it.
  bool is_by_name() const { return words.empty() || guard::is_by_name(words.front().text); }
  // What it is known by: its name, or the path of such a file.
  const std::string& called() const { return is_by_name() ? program : words.front().text; }

  std::string_view word(std::size_t at) const {
    return at < words.size() ? std::string_view(words[at].text) : std::string_view();
  }
};

// A text with something else in the place of each unknown piece; of several together, once.
inline std::string with_unknown_as(std::string_view instead, std::string_view text) {
  std::string filled;
  bool unknown = false;
  for (const char c : text) {
    const bool again = std::exchange(unknown, c == kUnknownPiece);
    if (!unknown) {
      filled += c;
    } else if (!again) {
      filled += instead;
    }
  }
  return filled;
}

// As a script.
inline std::string with_unknown_variable(std::string_view text) {
  return with_unknown_as(kUnknownVariable, text);
}

// What its words are.
inline std::vector<std::string_view> views_of(const std::vector<SeenWord>& words) {
  std::vector<std::string_view> views;
  for (const SeenWord& word : words) views.emplace_back(word.text);
  return views;
}

// The same, for a person.
inline std::vector<std::string> shown_words(const SeenCommand& command) {
  std::vector<std::string> words;
  for (const SeenWord& word : command.words) words.push_back(with_unknown_as("…", word.text));
  return words;
}

// Whether one of its words is an option with that letter.
inline bool has_option_letter(const SeenCommand& command, char letter) {
  return std::ranges::any_of(command.words, [&](const SeenWord& word) {
    return word.text.starts_with('-') && word.text.contains(letter);
  });
}

// Without the directory.
inline std::string_view base_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

}  // namespace talaria::guard
