#include "host/carried_env.h"

#include <algorithm>
#include <array>

#include "host/child_env.h"
#include "shell/state.h"

namespace talaria::host {
namespace {

std::string value_of(const Caller& caller, const EnvFile& file, std::string_view name) {
  if (const auto own = caller.variable(name); own && !own->empty()) return std::string(*own);
  const EnvFileEntry* entry = file.find(name);
  return entry ? entry->value : "";
}

}  // namespace

std::vector<std::string> carried_env(const Caller& caller, const CarriedEnvOptions& options) {
  std::vector<std::string> carried;
  for (const std::string& entry : caller.variables) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals + 1 == entry.size()) continue;
    if (shell::comes_with_call(std::string_view(entry).substr(0, equals))) carried.push_back(entry);
  }
  add_variables(carried, options.added);
  const auto pass = [&](const std::string& name) {
    const std::string value = value_of(caller, options.env_file, name);
    if (!value.empty()) set_variable(carried, name, value);
  };
  std::ranges::for_each(options.passthrough.names(), pass);
  std::ranges::for_each(options.forwarded, pass);
  return carried;
}

}  // namespace talaria::host
