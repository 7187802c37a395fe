// Functions: which one a name stands for, what it does, and what remains of it.
#include <algorithm>
#include <utility>

#include "policy/guard/run/walker.h"

namespace talaria::guard {
namespace {

// Calls of one function in itself, before it is walked for any arguments.
constexpr int kMaxSame = 2;

bool same_words(const std::vector<SeenWord>& one, const std::vector<SeenWord>& other) {
  return std::ranges::equal(one, other, [](const SeenWord& a, const SeenWord& b) {
    return a.text == b.text && a.several == b.several;
  });
}

}  // namespace

// The functions of that name, of this text or of the session.
Walker::Callees Walker::find_functions(const SeenCommand& seen) {
  const std::string& name = seen.words.front().text;
  Callees callees;
  if (seen.by_program) return callees;
  callees.program = false;
  for (const Value& value : variables_.all(function_key(name)).values) {
    const ShellCommand* function = value->function;
    if (value->kind == ShellValue::Kind::outside) function = session_function(name, seen);
    if (value->kind == ShellValue::Kind::unknown) {
      say_unclear("function is not known", "what " + name + " is, is known only when it runs",
                  &seen);
    }
    if (function == nullptr) {
      callees.program = true;
    } else {
      callees.functions.push_back(function);
    }
  }
  return callees;
}

// Null: there is none.
const ShellCommand* Walker::session_function(const std::string& name, const SeenCommand& seen) {
  const auto given = context_.session.functions.find(name);
  if (given == context_.session.functions.end()) return nullptr;
  if (const auto read = session_functions_.find(name); read != session_functions_.end()) {
    return read->second;
  }
  scripts_.push_back(std::make_unique<Script>(read_script(given->second)));
  const Script& script = *scripts_.back();
  const bool readable = script.trouble.empty() && script.list.pipelines.size() == 1 &&
                        script.list.pipelines[0].commands[0].kind == ShellCommand::Kind::function;
  if (!readable) {
    say_unclear("unreadable command text", "the function " + name + " cannot be read", &seen);
  }
  const ShellCommand* const function = readable ? &script.list.pipelines[0].commands[0] : nullptr;
  session_functions_[name] = function;
  if (function != nullptr) call_graph_.add(*function);
  return function;
}

// A function that calls itself is followed twice, and then once more for whatever it may be given
// and find; that covers all other calls. False: it needs no walk.
bool Walker::enter_again(const ShellCommand& function, std::vector<SeenWord>& arguments,
                         bool& widened) {
  int same = 0;
  const Call* outermost = nullptr;
  for (const Call& call : calls_) {
    if (call.function != &function) continue;
    ++same;
    if (outermost == nullptr) outermost = &call;
    widened = widened || call.widened;
    // nothing has changed: the same happens again
    if (variables_.mark() == call.mark && same_words(call.arguments, arguments)) return false;
  }
  if (same < kMaxSame) return true;
  std::vector<std::string> changed = variables_.changed(outermost->mark);
  std::erase(changed, "@");
  variables_.doubt(changed);
  if (widened) return false;
  widened = true;
  SeenWord any{std::string(1, kUnknownPiece)};
  any.several = true;
  arguments = {std::move(any)};
  return true;
}

void Walker::call_function(const ShellCommand& function, const SeenCommand& seen) {
  if (calls_.size() >= kMaxCalls) {
    return say_unclear("commands nested too deeply",
                       "its functions call functions, too deep to follow");
  }
  budget_.spend_words(4 * seen.words.size());  // they are copied here and there
  std::vector<SeenWord> arguments(seen.words.begin() + 1, seen.words.end());
  bool widened = false;
  if (!enter_again(function, arguments, widened)) {
    if (output_ != nullptr) output_->forget();
    return;
  }
  const ShellVariable outer = variables_.all("@");
  const SeenInput outer_input = std::exchange(input_, seen.input);
  const int input_changes = input_changes_;
  const Jump outer_jump = std::exchange(jump_, Jump::none);
  const bool outer_sure = std::exchange(sure_, true);
  expander_.set_arguments(arguments);
  calls_.push_back({&function, variables_.mark(), std::move(arguments), widened, {}});
  Output printed;
  Output* const listener = output_;
  const std::string listened_by = listened_by_;
  if (!seen.redirects.empty()) {
    output_ = &printed;
    listened_by_ = run_by_;
  }
  const std::size_t first = commands_.size();
  walk(function.lists.front());
  listened_by_ = listened_by;
  output_ = listener;
  if (!seen.redirects.empty()) pour(printed, seen.redirects, first);
  leave_function();
  variables_.put("@", outer);
  sure_ = outer_sure;
  jump_ = jump_ == Jump::shell ? Jump::shell : outer_jump;
  if (input_changes == input_changes_) input_ = outer_input;
  status_ = Status::unknown;
}

void Walker::make_local(const std::string& name) {
  if (calls_.empty()) return;
  const auto [local, is_new] = calls_.back().locals.try_emplace(name);
  if (is_new) local->second.before = variables_.all(name);
  if (!is_new && !local->second.certain) {
    const ShellVariable before = local->second.before;  // or it was no local one until now
    const ShellVariable now = variables_.all(name);
    variables_.put_too(name, before);
    local->second.before = variables_.all(name);
    variables_.put(name, now);
  }
  local->second.certain = local->second.certain || sure_;
}

// What was local becomes again what it was outside.
void Walker::leave_function() {
  for (auto& [name, local] : calls_.back().locals) {
    if (local.certain) {
      variables_.put(name, std::move(local.before));
    } else {
      variables_.put_too(name, std::move(local.before));
    }
  }
  calls_.pop_back();
}

}  // namespace talaria::guard
