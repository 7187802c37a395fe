#include "front/cli/token_front.h"

#include <talaria/home.h>
#include <talaria/tokens.h>

#include <chrono>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "front/cli/report.h"
#include "front/cli/table.h"

namespace talaria::front::cli {
namespace {

namespace json = boost::json;

std::int64_t seconds_of(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

json::object described(const TokenInfo& token) {
  const TokenScope& scope = token.scope;
  json::object told{{"name", token.name},
                    {"user", token.user},
                    {"targets", json::array(scope.targets.begin(), scope.targets.end())},
                    {"images", json::array(scope.images.begin(), scope.images.end())},
                    {"max_sandboxes", scope.max_sandboxes},
                    {"max_execs", scope.max_execs},
                    {"requests_per_minute", scope.requests_per_minute},
                    {"approve", scope.approve},
                    {"created", seconds_of(token.created)}};
  if (token.revoked) told["revoked"] = seconds_of(*token.revoked);
  return told;
}

std::string scope_text(const TokenInfo& token) {
  std::string text = token.revoked ? "revoked" : "";
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const std::string& target : token.scope.targets) add("at " + target);
  for (const std::string& image : token.scope.images) add("image " + image);
  if (token.scope.approve) add("approves");
  if (token.scope.max_sandboxes > 0) {
    add("at most " + std::to_string(token.scope.max_sandboxes) + " sandboxes");
  }
  if (token.scope.max_execs > 0) {
    add("at most " + std::to_string(token.scope.max_execs) + " execs");
  }
  if (token.scope.requests_per_minute > 0) {
    add(std::to_string(token.scope.requests_per_minute) + "/min");
  }
  return text;
}

}  // namespace

int token_add_front(const TokenAddOptions& options, const Stdio& stdio) {
  const auto made = Tokens(Home().directory()).add(options.name, options.user, options.scope);
  if (!made) return report_error(made.error(), options.json, stdio);
  if (!options.json) return report_text(made->token + "\n", stdio);
  json::object told = described(made->info);
  told["token"] = made->token;
  return report_line(told, stdio);
}

int token_list_front(const TokenListOptions& options, const Stdio& stdio) {
  const auto found = Tokens(Home().directory()).list(options.all);
  if (!found) return report_error(found.error(), options.json, stdio);
  if (options.json) {
    json::array list;
    for (const TokenInfo& one : *found) list.push_back(described(one));
    return report_line({{"tokens", std::move(list)}}, stdio);
  }
  if (found->empty()) return report_text("No token. Make one: talaria token add NAME\n", stdio);
  Table table({"NAME", "USER", "AGE", "SCOPE"});
  for (const TokenInfo& one : *found) {
    const auto age = std::chrono::system_clock::now() - one.created;
    table.add({one.name, one.user,
               duration_text(std::chrono::duration_cast<std::chrono::milliseconds>(age)),
               scope_text(one)});
  }
  return report_text(table.drawn(style_for(stdio.out)), stdio);
}

int token_revoke_front(const TokenRevokeOptions& options, const Stdio& stdio) {
  const auto revoked = Tokens(Home().directory()).revoke(options.name);
  if (!revoked) return report_error(revoked.error(), options.json, stdio);
  if (options.json) return report_line(described(*revoked), stdio);
  return report_text(options.name + ": revoked\n", stdio);
}

}  // namespace talaria::front::cli
