#include "policy/guard/run/call_graph.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace talaria::guard {
namespace {

// The names a part of a pipeline calls, also inside ( ) and { }.
void add_calls(const ShellCommand& command, std::vector<std::string>& names) {
  if (const std::string_view name = literal_name(command); !name.empty()) {
    names.emplace_back(name);
  }
  for (const ShellList& list : command.lists) {
    for (const ShellPipeline& pipeline : list.pipelines) {
      for (const ShellCommand& inner : pipeline.commands) add_calls(inner, names);
    }
  }
}

}  // namespace

void CallGraph::add(const ShellCommand& definition) {
  for (const ShellList& list : definition.lists) add_list(definition.name, list);
}

void CallGraph::add_list(const std::string& name, const ShellList& list) {
  for (const ShellPipeline& pipeline : list.pipelines) {
    Together together{.background = pipeline.after == AfterPipeline::background};
    for (const ShellCommand& command : pipeline.commands) {
      const bool simple = command.kind == ShellCommand::Kind::simple;
      // a part that is no simple command is looked into anyway
      if (simple || pipeline.commands.size() > 1 || together.background) {
        add_calls(command, together.parts.emplace_back());
      }
      if (command.kind == ShellCommand::Kind::function) continue;
      for (const ShellList& inner : command.lists) add_list(name, inner);
      for (const CaseArm& arm : command.arms) add_list(name, arm.body);
    }
    functions_[name].push_back(std::move(together));
  }
}

// Functions that lead to each other have the same number: Kosaraju's two walks.
std::map<std::string, int> CallGraph::find_circles() const {
  std::map<std::string, std::set<std::string>> calls;
  std::map<std::string, std::set<std::string>> callers;
  for (const auto& [name, all] : functions_) {
    for (const Together& together : all) {
      for (const auto& part : together.parts) {
        for (const std::string& callee : part) {
          if (!functions_.contains(callee)) continue;
          calls[name].insert(callee);
          callers[callee].insert(name);
        }
      }
    }
  }
  std::vector<std::string> order;  // each behind what it leads to
  std::set<std::string> seen;
  for (const auto& [start, unused] : functions_) {
    std::vector<std::pair<std::string, bool>> todo{{start, false}};
    while (!todo.empty()) {
      const auto [name, done] = todo.back();
      todo.pop_back();
      if (done) {
        order.push_back(name);
      } else if (seen.insert(name).second) {
        todo.emplace_back(name, true);
        for (const std::string& callee : calls[name]) todo.emplace_back(callee, false);
      }
    }
  }
  std::map<std::string, int> circles;
  int number = 0;
  for (auto start = order.rbegin(); start != order.rend(); ++start, ++number) {
    std::vector<std::string> todo{*start};
    while (!todo.empty()) {
      const std::string name = std::move(todo.back());
      todo.pop_back();
      if (!circles.try_emplace(name, number).second) continue;
      for (const std::string& caller : callers[name]) todo.push_back(caller);
    }
  }
  return circles;
}

bool CallGraph::has_fork_bomb() const {
  if (functions_.empty()) return false;
  const std::map<std::string, int> circles = find_circles();
  for (const auto& [name, all] : functions_) {
    const int own = circles.at(name);
    for (const Together& together : all) {
      const auto returns = std::ranges::count_if(together.parts, [&](const auto& part) {
        return std::ranges::any_of(part, [&](const std::string& callee) {
          const auto found = circles.find(callee);
          return found != circles.end() && found->second == own;
        });
      });
      if (returns > 1 || (returns > 0 && together.background)) return true;
    }
  }
  return false;
}

}  // namespace talaria::guard
