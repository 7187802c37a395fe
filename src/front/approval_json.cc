#include "front/approval_json.h"

#include <boost/json/array.hpp>

#include "base/duration.h"
#include "front/unix_seconds.h"

namespace talaria::front {

boost::json::array shown_offers(const std::vector<GrantOffer>& offers) {
  boost::json::array shown;
  for (const GrantOffer& one : offers) {
    shown.push_back({{"covers", one.covers}, {"sentence", one.sentence}});
  }
  return shown;
}

boost::json::object describe(const ApprovalRequest& request) {
  boost::json::array keys(request.pattern_keys.begin(), request.pattern_keys.end());
  boost::json::array notices(request.notices.begin(), request.notices.end());
  boost::json::array details;
  for (const ApprovalDetail& one : request.details) {
    details.push_back({{"name", one.name}, {"text", one.text}});
  }
  boost::json::array offers = shown_offers(request.offers);
  return {{"id", request.id},
          {"command", request.command},
          {"details", std::move(details)},
          {"description", request.description},
          {"pattern_key", request.pattern_key},
          {"pattern_keys", std::move(keys)},
          {"session_key", request.session_key},
          {"task", request.task},
          {"target", request.target},
          {"cwd", request.cwd},
          {"allow_permanent", request.allow_permanent},
          {"offers", std::move(offers)},
          {"notices", std::move(notices)}};
}

boost::json::object describe(const QueuedApproval& approval) {
  boost::json::object shown = describe(approval.request);
  shown["state"] = approval_state_name(approval.state);
  if (!approval.answer.word.empty()) shown["choice"] = approval.answer.word;
  if (!approval.answer.covers.empty()) shown["covers"] = approval.answer.covers;
  if (approval.answer.lasts.count() > 0) shown["lasts"] = approval.answer.lasts.count();
  if (!approval.answer.words.empty()) shown["words"] = approval.answer.words;
  shown["waited_for"] = approval.waited_for;
  shown["asker_gone"] = approval.asker_gone;
  shown["pid"] = approval.pid;
  shown["created"] = unix_seconds(approval.created);
  shown["expires"] = unix_seconds(approval.expires);
  return shown;
}

Result<ApprovalAnswer> read_answer(std::string word, std::string covers,
                                   const std::optional<std::string>& lasts) {
  ApprovalAnswer answer{.word = std::move(word), .covers = std::move(covers)};
  if (!lasts) return answer;
  const auto time = parse_duration(*lasts);
  if (!time) return fail(ErrorKind::bad_request, "for: " + duration_flaw(*lasts));
  answer.lasts = *time;
  return answer;
}

}  // namespace talaria::front
