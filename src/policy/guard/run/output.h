// What commands print on their standard output, where their words tell: echo, printf, cat of a
// here-document, base64 -d of text that is known, and so on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/guard/listings.h"
#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

// What a part of a script prints: one of a few texts, or not known.
class Output {
 public:
  const std::vector<std::string>& texts() const { return texts_; }  // none: not known
  std::optional<std::string> text() const;                          // if there is only one
  const std::vector<std::string>& paths() const { return paths_; }  // that it lists, each in part

  void add(const Output& more);
  void add(const std::optional<std::string>& more);
  void add_perhaps(const Output& more);  // or nothing
  void add_way(const Output& other);     // or all of it is that
  void list(const std::vector<std::string>& more) { add_paths(paths_, more); }
  void forget() { texts_.clear(); }

 private:
  void bound();

  std::vector<std::string> texts_{""};
  std::vector<std::string> paths_;
};

// What a substitution prints.
struct Printed {
  std::optional<std::string> text;  // nothing: that is not known
  bool temporary = false;           // it names a file or directory that nobody else uses
  std::vector<std::string> paths;   // that it lists, where the text is not known
};

// What it prints, wherever that goes.
std::optional<std::string> literal_output(const SeenCommand& command);
// The same with unknown pieces in it.
std::optional<std::string> printed_text(const SeenCommand& command);
// It prints that or fails: which, command -v.
bool may_print_nothing(const SeenCommand& command);
// It prints the name of something new that nobody else uses: mktemp, docker create, docker run -d.
bool prints_what_it_made(const SeenCommand& command);

// Whether what these programs print, together, comes from another machine, a decoder or a variable,
// and not from the project.
bool is_unseen(const std::vector<std::string>& programs);

// Where its standard output leads. All of what a compound command prints counts, also to its other
// descriptors.
enum class Destination { output, elsewhere, unclear };
Destination destination(const std::vector<SeenRedirect>& redirects, bool compound);

}  // namespace talaria::guard
