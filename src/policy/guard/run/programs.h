// Programs: which program a command names, and what it runs in turn: the rest of its words, texts,
// scripts, what it reads, what files tell it.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "policy/guard/instructions/instructions.h"
#include "policy/guard/run/inner.h"
#include "policy/guard/run/seen_command.h"
#include "policy/guard/run/written_files.h"

namespace talaria::guard {

struct Walk;

class Programs {
 public:
  explicit Programs(Walk& walk) : walk_(walk) {}

  // The command as it stands here.
  void run(SeenCommand seen);
  // What the command around them runs.
  void run_all(std::vector<InnerCommand> all, const SeenCommand& by);
  void run_text(const SeenWord& text, std::vector<SeenWord> arguments, const SeenCommand& by);
  // The word is a script, for a shell or for `source`.
  void run_script(const SeenCommand& seen, std::size_t at);
  // What bash calls when it finds no command of a name.
  void run_not_found_handler();
  // What is written to an open input later becomes words of commands.
  void meet_open_input(const SeenCommand& by);

 private:
  void run_guesses(SeenCommand seen, const std::string& base);
  void run_named(SeenCommand seen);
  void run_program(const SeenCommand& seen);
  void run_behind_links(const SeenCommand& seen);
  void run_shell_input(const SeenCommand& seen);
  void run_input(const SeenInput& input, const SeenCommand& by);
  void run_file(const SeenCommand& seen, std::size_t at);
  bool run_by_first_line(std::string_view script, const SeenCommand& seen);
  void run_own_script(const std::shared_ptr<const std::string>& text, const SeenCommand& seen,
                      std::size_t at);
  void meet_compiler(const SeenCommand& seen);
  void meet_interpreter(const SeenCommand& seen);
  void run_git_alias(const SeenCommand& seen);
  void guess_worst(const SeenCommand& seen);
  void leave_trap(std::size_t mark, const SeenCommand& by);
  void read_files(const SeenCommand& seen);
  void follow(Language language, const FileContent& content, const SeenCommand& by);

  Walk& walk_;
  std::set<std::string> followed_files_;
  std::vector<std::shared_ptr<const std::string>> running_;     // scripts of this text
  std::vector<std::shared_ptr<const std::string>> kept_texts_;  // of those
};

}  // namespace talaria::guard
