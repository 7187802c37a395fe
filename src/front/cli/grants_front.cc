#include <talaria/home.h>

#include <boost/json/array.hpp>

#include "base/visible_text.h"
#include "base/wall_time.h"
#include "front/cli/fronts.h"
#include "front/cli/report.h"
#include "front/cli/table.h"
#include "front/unix_seconds.h"

namespace talaria::front::cli {
namespace {

namespace json = boost::json;

json::value or_null(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

json::object grant_json(const ApprovalGrant& grant) {
  return {{"id", grant.id},
          {"rule", grant.rule},
          {"covers", grant.covers},
          {"sentence", grant.sentence},
          {"target", grant.target},
          {"session_key", or_null(grant.session_key)},
          {"task", or_null(grant.task)},
          {"directory", or_null(grant.directory)},
          {"granted", unix_seconds(grant.granted)},
          {"grantor", grant.grantor},
          {"until", grant.until ? json::value(unix_seconds(*grant.until)) : json::value(nullptr)},
          {"confirmed", grant.confirmed}};
}

std::string ends_text(const ApprovalGrant& grant) {
  const std::string end = grant.until ? local_time(*grant.until, "%Y-%m-%d %H:%M") : "never";
  return grant.session_key ? end + " (session " + *grant.session_key + ")" : end;
}

}  // namespace

int run_command(const GrantListOptions& options, const Stdio& stdio) {
  const auto found = Home().grants();
  if (!found) return report_error(found.error(), options.json, stdio);
  if (options.json) {
    json::array list;
    for (const ApprovalGrant& one : *found) list.push_back(grant_json(one));
    return report_line({{"grants", std::move(list)}}, stdio);
  }
  if (found->empty())
    return report_text("There are no grants: no approval covers more than one call.\n", stdio);
  Table table({"ID", "COVERS", "RULE", "GIVEN", "BY", "ENDS"});
  bool unconfirmed = false;
  for (const ApprovalGrant& one : *found) {
    unconfirmed = unconfirmed || !one.confirmed;
    table.add({one.id, visible_text(one.confirmed ? one.sentence : "(unconfirmed) " + one.sentence),
               visible_text(one.rule), local_time(one.granted, "%Y-%m-%d %H:%M"),
               visible_text(one.grantor), visible_text(ends_text(one))});
  }
  std::string text = table.drawn(style_for(stdio.out));
  if (unconfirmed) {
    text +=
        "\nUnconfirmed ones are of an earlier version and have no effect.\n`talaria grants confirm "
        "ID` puts one into effect again; `talaria grants revoke ID` removes it.\n";
  }
  return report_text(text, stdio);
}

int run_command(const GrantChangeOptions& options, const Stdio& stdio) {
  const Home home;
  const auto changed = options.confirm ? home.confirm_grant(options.id, options.lasts)
                                       : home.revoke_grant(options.id);
  if (!changed) return report_error(changed.error(), options.json, stdio);
  if (options.json) return report_line(grant_json(*changed), stdio);
  const std::string sentence = one_line(visible_text(changed->sentence));
  const std::string text = options.confirm ? "confirmed " + changed->id + ". It covers " +
                                                 sentence + ". It ends: " + ends_text(*changed)
                                           : "revoked " + changed->id + ". It covered " + sentence;
  return report_text(text + "\n", stdio);
}

}  // namespace talaria::front::cli
