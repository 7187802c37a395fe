#include "front/mcp/mcp_elicitation.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>

#include "base/visible_text.h"

namespace talaria::front::mcp {
namespace {

constexpr std::string_view kField = "decision";
constexpr std::string_view kRequest = "approval";
constexpr std::array<std::string_view, 4> kChoices{"once", "session", "always", "deny"};

}  // namespace

json::object approval_form(const ApprovalRequest& question) {
  std::string message = "A command needs your approval: " + visible_text(question.description) +
                        "\n\n" + visible_text(question.command) + "\n\nTarget: " + question.target;
  if (!question.cwd.empty()) message += ", directory: " + visible_text(question.cwd);
  json::array choices;
  for (const std::string_view choice : kChoices) {
    if (choice == "always" && !question.allow_permanent) continue;
    choices.emplace_back(choice);
  }
  json::object field{{"type", "string"},
                     {"title", "May it run?"},
                     {"description",
                      "once: only this command. session: all commands with the same rule, for "
                      "this client. always: for all clients, from now on. deny: no."},
                     {"enum", std::move(choices)}};
  return {{"mode", "form"},
          {"message", std::move(message)},
          {"requestedSchema",
           {{"type", "object"},
            {"properties", {{kField, std::move(field)}}},
            {"required", json::array{kField}}}}};
}

std::optional<std::string> answer_in(const std::optional<json::object>& result) {
  if (!result) return std::nullopt;
  const json::value* action = result->if_contains("action");
  const json::value* content = result->if_contains("content");
  if (!action || *action != "accept" || !content || !content->is_object()) return "deny";
  const json::value* word = content->get_object().if_contains(kField);
  if (!word || !word->is_string()) return "deny";
  const bool known =
      std::ranges::find(kChoices, std::string_view(word->get_string())) != kChoices.end();
  return known ? std::string(word->get_string()) : "deny";
}

json::object input_required(json::object form, std::string state) {
  return {{"resultType", "input_required"},
          {"inputRequests",
           {{kRequest, {{"method", "elicitation/create"}, {"params", std::move(form)}}}}},
          {"requestState", std::move(state)}};
}

std::optional<std::string> answer_in_responses(const json::object& responses) {
  const json::value* response = responses.if_contains(kRequest);
  if (!response || !response->is_object()) return std::nullopt;
  return answer_in(response->get_object());
}

json::object with_how_to_approve(json::object answer, std::string_view question) {
  answer["error"] =
      "This command needs a person's approval and was not run. A person approves it "
      "with `talaria approve " +
      std::string(question) +
      "` in a terminal (or refuses it with `talaria deny`); call again afterwards, "
      "with the same arguments. Do not try to get around it.";
  return answer;
}

}  // namespace talaria::front::mcp
