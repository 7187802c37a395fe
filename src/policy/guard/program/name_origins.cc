// Of ProgramNames: the modules that a program imports, and what it has from them.
#include <algorithm>

#include "policy/guard/program/program_names.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxOriginSteps = 4'000;
constexpr std::size_t kMaxOriginTokens = 48;  // of one value

}  // namespace

bool ProgramNames::imports(std::string_view modules) const {
  while (!modules.empty()) {
    if (modules_.contains(module_name(next_word(modules)))) return true;
  }
  return false;
}

bool ProgramNames::comes_from(const std::string& name, std::string_view modules, int depth) const {
  std::string imported;
  for (std::string_view rest = depth == 0 ? modules : ""; !rest.empty();) {
    const std::string module = module_name(next_word(rest));
    if (modules_.contains(module)) imported += module + " ";
  }
  if (depth == 0) modules = imported;
  const auto of_module = [&](const std::string& one) {
    for (std::string_view rest = modules; !rest.empty();) {
      const std::string_view module = next_word(rest);
      const bool begins = !module.empty() && one.starts_with(module);
      if (begins && (one.size() == module.size() || one[module.size()] == '.')) return true;
    }
    return false;
  };
  if (std::ranges::any_of(resolve(name), of_module)) return true;
  const NameBinding* const binding = find(name);
  if (binding == nullptr || depth > 2) return false;
  if (++origin_steps_ > kMaxOriginSteps) return true;
  for (const auto* ranges : {&binding->values, &binding->loops, &binding->opened}) {
    for (const TokenRange& range : *ranges) {
      for (std::size_t i = range.begin; i < std::min(range.end, range.begin + kMaxOriginTokens);
           ++i) {
        const bool loads = code_.is_text(i) && loads_module(std::string(code_.word(i - 2)));
        if (loads && of_module(module_name(code_[i].text))) return true;
        if (code_.is_name(i) && comes_from(code_[i].text, modules, depth + 1)) return true;
      }
    }
  }
  return false;
}

}  // namespace talaria::guard
