#include "host/passthrough.h"

#include "base/text.h"
#include "host/withheld.h"
#include "shell/quote.h"

namespace talaria::host {

Result<void> Passthrough::add(std::string_view name) {
  name = trim(name);
  if (name.empty()) return fail(ErrorKind::bad_request, "a variable to pass needs a name");
  if (!shell::is_variable_name(name)) {
    return fail(ErrorKind::bad_request, "'" + sanitize_utf8(name) +
                                            "' is not the name of a variable; use letters, digits "
                                            "and _, and no digit at the beginning");
  }
  if (is_of_the_agent(name)) {
    return fail(ErrorKind::denied,
                std::string(name) +
                    " is a secret of the agent and is not passed; if commands need "
                    "such a value, store it under another name and pass that");
  }
  names_.emplace(name);
  return {};
}

std::vector<std::string> Passthrough::values(const EnvFile& file, const Caller& caller) const {
  std::vector<std::string> found;
  for (const std::string& name : names_) {
    const EnvFileEntry* entry = file.find(name);
    if (!entry || entry->value.empty()) continue;
    if (caller.variable(name).value_or("").empty()) found.push_back(name + "=" + entry->value);
  }
  return found;
}

}  // namespace talaria::host
