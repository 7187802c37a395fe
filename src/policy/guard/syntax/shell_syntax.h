// A shell text as bash would understand it: lists of pipelines of commands, made of words that are
// made of parts. Nothing in it is expanded yet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::guard {

struct ShellList;
struct PartDetail;

struct WordPart {
  enum class Kind : std::uint8_t {
    text,
    variable,    // $name, ${name…}
    command,     // $(…), `…`
    arithmetic,  // $((…)), $[…]
    process,     // <(…), >(…)
  };

  WordPart(Kind part_kind, bool part_quoted, std::string part_text);
  WordPart(WordPart&&) noexcept;
  WordPart& operator=(WordPart&&) noexcept;
  ~WordPart();

  Kind kind;
  bool quoted;       // no splitting, no patterns
  std::string text;  // or the name of the variable
  std::unique_ptr<PartDetail> detail;
};

struct ShellWord {
  std::vector<WordPart> parts;
  std::size_t begin = 0;  // in the text that was read
  std::size_t end = 0;
};

struct ShellAssignment {
  std::string name;
  bool append = false;
  bool array = false;
  bool element = false;  // name[…]=value
  ShellWord index;
  ShellWord value;
  std::vector<ShellWord> elements;
};

// A here-document. Its body is expanded unless its delimiter was quoted.
struct HereDocument {
  std::string delimiter;
  bool literal = false;
  bool strips_tabs = false;
  ShellWord body;
};

struct ShellRedirect {
  enum class Kind : std::uint8_t {
    input,      // <
    output,     // >, >|, &>
    append,     // >>, &>>
    both,       // <>
    duplicate,  // <&, >&
    here_document,
    here_string,
  };

  Kind kind = Kind::input;
  int descriptor = -1;      // -1: what the operator means
  bool all_output = false;  // &> and &>>
  ShellWord target;
  std::unique_ptr<HereDocument> document;
};

struct ShellCommand;

enum class AfterPipeline : std::uint8_t { end, next, background, and_then, or_else };

struct ShellPipeline {
  std::vector<ShellCommand> commands;
  AfterPipeline after = AfterPipeline::end;
  bool negated = false;  // by an odd number of !
};

struct ShellList {
  std::vector<ShellPipeline> pipelines;
};

struct CaseArm {
  std::vector<ShellWord> patterns;
  ShellList body;
};

struct ShellCommand {
  enum class Kind : std::uint8_t {
    simple,
    group,      // { …; }
    subshell,   // ( … )
    branch,     // if: conditions and bodies in turn, then what else holds
    loop,       // while, until: condition, body
    for_each,   // for, select: over words
    for_count,  // for ((…))
    choice,     // case
    function,
    arithmetic,  // ((…))
    condition,   // [[ … ]]
    coprocess,
  };

  Kind kind = Kind::simple;
  std::vector<ShellAssignment> assignments;
  std::vector<ShellWord> words;  // also what a loop goes over, what is tested
  std::vector<ShellRedirect> redirects;
  std::vector<ShellList> lists;
  std::vector<CaseArm> arms;
  std::string name;             // of a function, or of the variable of a loop
  bool over_arguments = false;  // for x; do …
  bool select = false;          // select, not for
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The name of a simple command that is written without expansions, maybe quoted; empty: it has
// none.
std::string_view literal_name(const ShellCommand& command);

// What stands behind a variable's name between braces, or inside a substitution.
struct PartDetail {
  std::string operation;  // ":-", "##", …; "": none
  bool length = false;    // ${#name}
  bool indirect = false;  // ${!name}
  std::string index;      // of an array, as it is written
  ShellWord argument;     // behind the operation; the expression of an arithmetic part
  ShellList list;         // of a substitution
  bool input = true;      // <(…), not >(…)
  bool backquotes = false;
};

}  // namespace talaria::guard
