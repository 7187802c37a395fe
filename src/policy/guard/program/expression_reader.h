// ExpressionReader: what the expressions of a program are: texts, lists, paths that are put
// together from pieces. It follows a name to the one value that the program gives it, and nothing
// else.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policy/guard/program/program_code.h"
#include "policy/guard/program/program_names.h"
#include "policy/guard/program/program_start.h"
#include "policy/guard/program/program_value.h"

namespace talaria::guard {

inline constexpr int kMaxExpressionDepth = 20;
inline constexpr std::size_t kMaxArguments = 64;
inline constexpr std::size_t kMaxValue = 256 * 1024;  // bytes of a text

inline ProgramValue list_of(std::vector<ProgramValue> items) {
  return {.text = "", .items = std::move(items), .list = true};
}

// What is called: os.path.join, Path("x").unlink
struct ProgramCallee {
  std::string name;                    // as it is written, without what is in brackets
  std::vector<std::string> names;      // and all that it may stand for
  std::size_t begin = 0;               // the first token of the whole
  std::optional<TokenRange> receiver;  // what stands before the last dot
};

struct ProgramArguments {
  std::vector<TokenRange> ranges;  // of those without a name
  std::vector<ProgramValue> values;
  std::vector<std::pair<std::string, ProgramValue>> named;

  // The one with that name, or the one at that place. Null: there is none.
  const ProgramValue* find(std::string_view name, std::size_t at) const;
};

// What all readers of a program share.
struct ExpressionContext {
  const ProgramNames& names;
  const ProgramStart& start;
  const std::set<std::string>& made;              // dotted names of paths that the program has made
  long steps = 0;                                 // tokens that were looked at, some of them often
  std::vector<const NameBinding*> followed = {};  // names that are being evaluated
  std::map<const NameBinding*, ProgramValue> given = {};  // what functions get

  static constexpr long kMostSteps = 300'000;
  bool spent() const { return steps > kMostSteps; }
};

class ExpressionReader {
 public:
  // `code`: of the whole program, or of a part of it. Both outlive it.
  ExpressionReader(const ProgramCode& code, ExpressionContext& context, int depth = 0)
      : code_(code), context_(context), depth_(depth) {}

  // Of the name at `at`, which is the last of it.
  ProgramCallee callee(std::size_t at) const;
  // `open`: the bracket.
  ProgramArguments arguments(std::size_t open) const { return arguments_in(code_.inside(open)); }
  ProgramArguments arguments_in(TokenRange range) const;
  ProgramValue evaluate(TokenRange range) const;

 private:
  ProgramLanguage language() const { return context_.names.language(); }
  ExpressionReader deeper() const { return {code_, context_, depth_ + 1}; }
  bool is_joiner(std::size_t at) const;
  ProgramValue joined(const std::vector<TokenRange>& parts,
                      const std::vector<std::string>& marks) const;
  ProgramValue operand(TokenRange range) const;
  ProgramValue text_value(const ProgramToken& token) const;
  ProgramValue list_value(TokenRange range) const;
  ProgramValue object_value(TokenRange range) const;
  ProgramValue chain_value(TokenRange range) const;
  ProgramValue name_value(const std::string& dotted) const;
  ProgramValue followed_value(const std::string& name) const;
  ProgramValue bound_value(const NameBinding& binding) const;
  ProgramValue given_value(const NameBinding& binding) const;
  ProgramValue grown_value(ProgramValue value, const NameBinding& binding) const;
  ProgramValue call_value(const ProgramCallee& callee, const ProgramArguments& arguments) const;
  ProgramValue method_value(std::string_view method, const ProgramValue& receiver,
                            const ProgramArguments& arguments) const;
  ProgramValue element_value(TokenRange range, std::size_t open) const;

  const ProgramCode& code_;
  ExpressionContext& context_;
  int depth_;
};

// Whether one of the dotted names is, or ends in, one of the list: "os.system" in "x.os.system". A
// name of one word counts whatever stands before it; "=open" only if nothing does.
bool is_called(const std::vector<std::string>& names, std::string_view list);

// "a %s b" with the values for %s, and unknown pieces for everything else that is put in.
std::string filled_format(std::string_view text, const std::vector<ProgramValue>& values);

}  // namespace talaria::guard
