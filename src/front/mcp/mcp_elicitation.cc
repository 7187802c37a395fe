#include "front/mcp/mcp_elicitation.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>

#include "base/visible_text.h"
#include "json/fields.h"

namespace talaria::front::mcp {
namespace {

constexpr std::string_view kField = "decision";
constexpr std::string_view kCovers = "covers";
constexpr std::string_view kRequest = "approval";
constexpr std::array<std::string_view, 4> kChoices{"deny", "once", "session", "always"};
// A refusal that comes sooner is not a person's: nobody reads a command in that time.
constexpr std::chrono::milliseconds kFastestPerson{500};

std::string text_in(const json::object& form, std::string_view name) {
  const json::value* content = form.if_contains("content");
  return content && content->is_object() ? text_field(content->get_object(), name) : "";
}

std::string details_text(const ApprovalRequest& question) {
  std::string text;
  for (const ApprovalDetail& one : question.details) {
    text += "\n" + visible_line(one.name) + ":\n" + quoted_lines(visible_text(one.text));
  }
  return text;
}

// What session and always would cover, in words.
std::string offers_text(const ApprovalRequest& question) {
  if (question.offers.empty()) return "";
  std::string text = "\nsession and always cover";
  for (const GrantOffer& one : question.offers) {
    text += "\n- " + one.covers + ": " + visible_line(one.sentence);
  }
  return text;
}

json::object covers_field(const ApprovalRequest& question) {
  json::array names;
  for (const GrantOffer& one : question.offers) names.emplace_back(one.covers);
  return {{"type", "string"},
          {"title", "What do session and always cover?"},
          {"description", "Empty: the narrowest, " + question.offers.front().covers + "."},
          {"enum", std::move(names)}};
}

}  // namespace

json::object approval_form(const ApprovalRequest& question) {
  const bool grants = !question.offers.empty();
  std::string message =
      "A command needs your approval: " + visible_line(question.description) +
      "\nDirectory: " + (question.cwd.empty() ? "not known yet" : visible_line(question.cwd)) +
      ", task: " + quoted_name(visible_line(question.task)) +
      ", target: " + visible_line(question.target) + "\n\n" +
      quoted_lines(visible_text(question.command)) + details_text(question) + offers_text(question);
  for (const std::string& notice : question.notices) message += "\n\n" + visible_line(notice);
  json::array choices;
  for (const std::string_view choice : kChoices) {
    if (choice == "always" && !(question.allow_permanent && grants)) continue;
    if (choice == "session" && !grants) continue;
    choices.emplace_back(choice);
  }
  json::object field{{"type", "string"},
                     {"title", "May it run?"},
                     {"description",
                      "deny: no. once: only this call. session: also what it covers, for this "
                      "client, at most a day. always: the same for all clients, from now on."},
                     {"enum", std::move(choices)}};
  json::object properties{{kField, std::move(field)}};
  if (grants) properties[kCovers] = covers_field(question);
  return {{"mode", "form"},
          {"message", std::move(message)},
          {"requestedSchema",
           {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", json::array{kField}}}}};
}

std::optional<ClientAnswer> answer_in(const std::optional<json::object>& result,
                                      std::chrono::milliseconds took) {
  if (!result) return std::nullopt;
  const std::string action = text_field(*result, "action");
  const std::string word = action == "accept" ? text_in(*result, kField) : "";
  const bool known = std::ranges::find(kChoices, std::string_view(word)) != kChoices.end();
  if (known && word != "deny") {
    ApprovalAnswer answer{.word = word};
    if (word != "once") answer.covers = text_in(*result, kCovers);
    return ClientAnswer{.answer = std::move(answer)};
  }
  if (action == "cancel" || took < kFastestPerson) return ClientAnswer{.declined = true};
  return ClientAnswer{.answer = {.word = "deny"}};
}

json::object input_required(json::object form, std::string state) {
  return {{"resultType", "input_required"},
          {"inputRequests",
           {{kRequest, {{"method", "elicitation/create"}, {"params", std::move(form)}}}}},
          {"requestState", std::move(state)}};
}

std::optional<ClientAnswer> answer_in_responses(const json::object& responses,
                                                std::chrono::milliseconds took) {
  const json::value* response = responses.if_contains(kRequest);
  if (!response || !response->is_object()) return std::nullopt;
  return answer_in(response->get_object(), took);
}

json::object with_how_to_approve(json::object answer, std::string_view question, bool declined) {
  answer["error"] =
      "This command needs a person's approval and was not run. " +
      std::string(declined ? "The client declined: it asked no person, so nobody has refused it. "
                           : "") +
      "A person approves it with `talaria approve " + std::string(question) +
      "` in a terminal (or refuses it with `talaria deny`); call again afterwards, "
      "with the same arguments. Do not try to get around it.";
  return answer;
}

}  // namespace talaria::front::mcp
