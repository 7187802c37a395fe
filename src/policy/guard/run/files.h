// Files: what the text has written into which files so far, and what follows from it for a command
// that reads one: a script, instructions, a program under another name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/instructions/instructions.h"
#include "policy/guard/run/findings.h"
#include "policy/guard/run/io.h"
#include "policy/guard/run/shell_state.h"
#include "policy/guard/run/situation.h"
#include "policy/guard/run/written_files.h"

namespace talaria::guard {

// The names that some rule cares about, sorted. A function, because few texts need them.
using WatchedPrograms = const std::vector<std::string_view>& (*)();

class Files {
 public:
  Files(Findings& findings, const Situation& now, const Io& io, ShellState& state,
        WatchedPrograms watched);

  // Where the command writes what.
  void note(const SeenCommand& seen);
  void note_redirects(const std::vector<SeenRedirect>& redirects, const FileContent& content);
  // PATH=value: programs are looked for there from now on.
  void note_search_path(const std::string& value);

  // What is read from a file; nothing: the text has not written it.
  std::optional<SeenInput> input_from(std::string_view path) const;
  // What the script may be that the word names.
  std::vector<FileContent> script_at(const SeenCommand& seen, std::size_t at) const;
  // Whether the text wrote all of it.
  bool is_known(std::string_view path) const;
  // The program that was given that name; empty: none.
  std::string original_of(std::string_view name) const;

  // What the program takes instructions from, of the files that the text wrote.
  struct Read {
    Language language = Language::shell;
    FileContent content;
  };
  std::vector<Read> read_by(const SeenCommand& seen);

 private:
  std::string name_of(std::string_view path) const;
  void write(const std::string& path, FileContent content, bool append = false);
  FileContent printed_by(const SeenCommand& seen);
  FileContent joined(const std::vector<std::string>& paths);
  void note_copy(const SeenCommand& seen);
  void note_links(const SeenCommand& seen);
  void note_mount(const SeenCommand& seen);
  void note_edit(const SeenCommand& seen, const std::string& inserted);
  void watch_directory(std::string_view path);

  Findings& findings_;
  const Situation& now_;
  const Io& io_;
  ShellState& state_;
  WatchedPrograms watched_;
  WrittenFiles written_;
  std::map<std::string, std::string, std::less<>> copies_;    // of programs, under other names
  std::vector<std::string> search_fronts_;                    // directories PATH has in front
  std::map<const InstructionFile*, std::size_t> looked_for_;  // at which change of the files
};

}  // namespace talaria::guard
