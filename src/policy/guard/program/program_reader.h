// ProgramReader: goes through the code of a program and lists the calls of the table.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/program/program.h"

namespace talaria::guard {

inline constexpr std::size_t kMaxArgumentTokens = 512;  // of the arguments of a call

inline std::string_view last_word(std::string_view dotted) {
  return dotted.substr(dotted.find_last_of('.') + 1);
}

class ProgramReader {
 public:
  // `code` is that of the whole program. Both outlive it.
  ProgramReader(const ProgramCode& code, ProgramLanguage language, const ProgramStart& start);

  ProgramReport read();

 private:
  void read_code(const ProgramCode& code, int depth);
  void read_pieces(const ProgramToken& token, int depth);
  void read_name(const ProgramCode& code, std::size_t at);
  void read_text(const ProgramCode& code, std::size_t at);
  void read_other_call(const ProgramCode& code, std::size_t at);
  bool read_service_call(const ProgramCode& code, std::size_t at, const ProgramCallee& callee);
  void read_variable(const ProgramCode& code, std::size_t at);
  void read_element(const ProgramCode& code, std::size_t open);
  void read_called_value(const ProgramCode& code, std::size_t open);
  void read_unknown(const ProgramCode& code, std::size_t at);
  void look_for_tricks(const ProgramCode& code, std::size_t at);
  bool is_defined(const ProgramCode& code, std::size_t at) const;
  std::optional<TokenRange> argument_range(const ProgramCode& code, std::size_t at) const;
  std::optional<TokenRange> passed_arguments(const ProgramCode& code, std::size_t at) const;
  bool is_handed_on(const ProgramCode& code, std::size_t at, const ProgramCallee& callee,
                    const KnownCall& row) const;
  bool is_module_value(const ProgramCode& code, std::size_t at) const;
  bool is_value(const ProgramCode& code, std::size_t at, const ProgramCallee& callee) const;
  bool names_place(const ProgramCode& code, TokenRange range, int depth = 0);
  void hand_on(const ProgramCallee& callee, const KnownCall& row);
  const KnownCall* find_row(const ProgramCallee& callee, const std::string& word) const;
  void add_call(const ProgramCode& code, const ProgramCallee& callee, const KnownCall& row,
                std::size_t at, TokenRange range, bool mapped = false);
  bool is_of_class(const ProgramCode& code, const ProgramCallee& callee) const;
  void add_chained(const ProgramCode& code, std::size_t close, ProgramArguments& arguments);
  bool counts(const ProgramCode& code, std::size_t at, ProgramFinding& finding,
              TokenRange range) const;
  bool times_function(const ProgramCode& code, std::size_t at, TokenRange range) const;
  void note_own_attributes();
  void note_made(const ProgramCode& code, const ProgramFinding& finding,
                 const ProgramCallee& callee);
  void add(ProgramAct act, std::string name);

  bool is_literal(const ProgramCode& code, TokenRange range) const;

  ProgramLanguage language_;
  const ProgramCode& code_;
  ProgramNames names_;
  std::set<std::string> made_;
  std::map<std::string, bool> placed_;  // names whose value may have a place in it
  bool has_places_ = false;
  ExpressionContext context_;
  ProgramReport report_;
};

}  // namespace talaria::guard
