#include "policy/guard/syntax/for_each_command.h"

namespace talaria::guard {
namespace {

using Visit = std::function<void(const ShellCommand&)>;

void visit_word(const ShellWord& word, const Visit& visit) {
  for (const WordPart& part : word.parts) {
    if (!part.detail) continue;
    visit_word(part.detail->argument, visit);
    for_each_command(part.detail->list, visit);
  }
}

void visit_command(const ShellCommand& command, const Visit& visit) {
  visit(command);
  for (const ShellAssignment& assignment : command.assignments) {
    visit_word(assignment.index, visit);
    visit_word(assignment.value, visit);
    for (const ShellWord& element : assignment.elements) visit_word(element, visit);
  }
  for (const ShellWord& word : command.words) visit_word(word, visit);
  for (const ShellRedirect& redirect : command.redirects) {
    visit_word(redirect.target, visit);
    if (redirect.document) visit_word(redirect.document->body, visit);
  }
  for (const CaseArm& arm : command.arms) {
    for (const ShellWord& pattern : arm.patterns) visit_word(pattern, visit);
    for_each_command(arm.body, visit);
  }
  for (const ShellList& list : command.lists) for_each_command(list, visit);
}

}  // namespace

void for_each_command(const ShellList& list, const Visit& visit) {
  for (const ShellPipeline& pipeline : list.pipelines) {
    for (const ShellCommand& command : pipeline.commands) visit_command(command, visit);
  }
}

}  // namespace talaria::guard
