#include <talaria/home.h>
#include <talaria/tokens.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "front/cli/fronts.h"
#include "front/cli/report.h"
#include "front/cli/table.h"
#include "front/unix_seconds.h"

namespace talaria::front::cli {
namespace {

namespace json = boost::json;

json::object described(const TokenInfo& token) {
  const TokenScope& scope = token.scope;
  json::object object{{"name", token.name},
                      {"user", token.user},
                      {"targets", json::array(scope.targets.begin(), scope.targets.end())},
                      {"images", json::array(scope.images.begin(), scope.images.end())},
                      {"max_sandboxes", scope.max_sandboxes},
                      {"max_execs", scope.max_execs},
                      {"requests_per_minute", scope.requests_per_minute},
                      {"approve", scope.approve},
                      {"created", unix_seconds(token.created)}};
  if (token.revoked) object["revoked"] = unix_seconds(*token.revoked);
  return object;
}

std::string scope_text(const TokenInfo& token) {
  std::string text = token.revoked ? "revoked" : "";
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const std::string& target : token.scope.targets) add("at " + target);
  for (const std::string& image : token.scope.images) add("image " + image);
  if (token.scope.approve) add("approves");
  const auto limit = [&](std::size_t count, const std::string& what) {
    if (count > 0) add("at most " + what);
  };
  const TokenScope& scope = token.scope;
  limit(scope.max_sandboxes, counted(scope.max_sandboxes, "sandbox", "sandboxes"));
  limit(scope.max_execs, counted(scope.max_execs, "exec"));
  limit(scope.requests_per_minute, counted(scope.requests_per_minute, "request") + "/min");
  return text;
}

}  // namespace

int run_command(const TokenAddOptions& options, const Stdio& stdio) {
  const auto made = Tokens(Home().directory()).add(options.name, options.user, options.scope);
  if (!made) return report_error(made.error(), options.json, stdio);
  if (!options.json) return report_text(made->token + "\n", stdio);
  json::object object = described(made->info);
  object["token"] = made->token;
  return report_line(object, stdio);
}

int run_command(const TokenListOptions& options, const Stdio& stdio) {
  const auto found = Tokens(Home().directory()).list(options.all);
  if (!found) return report_error(found.error(), options.json, stdio);
  if (options.json) {
    json::array list;
    for (const TokenInfo& one : *found) list.push_back(described(one));
    return report_line({{"tokens", std::move(list)}}, stdio);
  }
  if (found->empty())
    return report_text("No tokens. Add one with: talaria token add NAME\n", stdio);
  Table table({"NAME", "USER", "AGE", "SCOPE"});
  for (const TokenInfo& one : *found) {
    table.add({one.name, one.user, age_text(one.created), scope_text(one)});
  }
  return report_text(table.drawn(style_for(stdio.out)), stdio);
}

int run_command(const TokenLimitOptions& options, const Stdio& stdio) {
  const auto changed = Tokens(Home().directory()).limit(options.name, options.limits);
  if (!changed) return report_error(changed.error(), options.json, stdio);
  if (options.json) return report_line(described(*changed), stdio);
  const std::string scope = scope_text(*changed);
  return report_text("token '" + options.name + "'" +
                         (scope.empty() ? " has no limits of its own; the gateway.* settings apply"
                                        : ": " + scope) +
                         "\n",
                     stdio);
}

int run_command(const TokenRevokeOptions& options, const Stdio& stdio) {
  const auto revoked = Tokens(Home().directory()).revoke(options.name);
  if (!revoked) return report_error(revoked.error(), options.json, stdio);
  if (options.json) return report_line(described(*revoked), stdio);
  return report_text("revoked " + options.name + "\n", stdio);
}

}  // namespace talaria::front::cli
