#include "front/mcp/client_scope.h"

#include <set>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>

#include "front/random_name.h"

namespace talaria::front::mcp {

McpPrincipal new_principal() {
  const std::string name = "mcp-" + random_name();
  return {.task = name, .session_key = name};
}

CallContext ClientScope::context_for(const std::string& task) const {
  return {.task = task.empty() ? principal_.task : principal_.scope + task,
          .session_key = principal_.session_key};
}

Task<bool> ClientScope::is_own(std::string process) {
  if (principal_.scope.empty() || !process.starts_with("proc_")) co_return true;
  const auto found = co_await processes_.find(std::move(process));
  co_return found && found->task.starts_with(principal_.scope);
}

Task<void> ClientScope::leave_out_others(json::object& answer) {
  json::value* const listed = answer.if_contains("processes");
  if (principal_.scope.empty() || !listed || !listed->is_array()) co_return;
  const auto all = co_await processes_.list();
  std::set<std::string, std::less<>> own;
  if (all) {
    for (const ProcessInfo& one : all->processes) {
      if (one.task.starts_with(principal_.scope)) own.insert(one.id);
    }
  }
  json::array own_entries;
  for (json::value& one : listed->get_array()) {
    const json::value* id = one.as_object().if_contains("session_id");
    if (id && id->is_string() && own.contains(std::string_view(id->get_string()))) {
      own_entries.push_back(std::move(one));
    }
  }
  *listed = std::move(own_entries);
}

}  // namespace talaria::front::mcp
