#include "tools/run_as.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "shell/quote.h"
#include "tools/own_command.h"
#include "tools/run_command.h"

namespace talaria::tool {
namespace {

constexpr auto kProbePatience = std::chrono::seconds(20);
constexpr std::size_t kLongestUser = 256;

// Prints who we are there; who `u` is (uid, gid, name, home); the shell; and what can change the
// user: one line each.
constexpr const char* kProbe = R"sh(
line=$(getent passwd "$u" 2>/dev/null) ||
  line=$(while IFS= read -r l; do
    IFS=: read -r n x i rest <<EOF
$l
EOF
    if [ "$n" = "$u" ] || [ "$i" = "$u" ]; then printf '%s\n' "$l"; break; fi
  done </etc/passwd)
IFS=: read -r name x uid gid x home x <<EOF
$line
EOF
case $u in *[!0-9]*) ;; *) [ -n "$uid" ] || { uid=$u; gid=$u; home=/; } ;; esac
me=$(id -u)
shell=$(command -v bash || command -v sh)
how=none
if [ "$me" = 0 ]; then
  if [ -n "$name" ] && command -v runuser >/dev/null; then how=runuser
  elif setpriv --reuid 0 true 2>/dev/null; then how=setpriv
  elif [ -n "$name" ] && command -v su >/dev/null; then how=su; fi
elif [ -n "$uid" ] && sudo -n -u "#$uid" true 2>/dev/null; then how=sudo; fi
printf '%s\n' "$me" "$uid" "$gid" "$name" "$home" "$shell" "$how"
)sh";

struct TargetUser {
  std::string own;  // of our commands
  std::string uid;  // this and the rest: of the one who is wanted
  std::string gid;
  std::string name;  // empty: it has none
  std::string home;
  std::string shell;
  std::string how;
};

bool is_user(std::string_view user) {
  if (user.empty() || user.size() > kLongestUser || user.front() == '-') return false;
  return std::ranges::all_of(user, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_.-@$+").contains(static_cast<char>(c));
  });
}

Task<Result<TargetUser>> look_up(const ToolCall& call, const std::string& user) {
  if (!call.config) co_return fail(call.config.error());
  const auto environment = co_await call.services.environments.get(call.task(), *call.config);
  if (!environment) co_return fail(environment.error());
  OwnCommand probe{.text = "u=" + shell::single_quote(user) + kProbe, .timeout = kProbePatience};
  const auto said =
      co_await run_own_command(call.services, **environment, std::move(probe), call.cancel);
  if (!said) co_return fail(said.error());
  TargetUser found;
  std::string_view lines = *said;
  for (std::string* one :
       {&found.own, &found.uid, &found.gid, &found.name, &found.home, &found.shell, &found.how}) {
    *one = std::string(next_word(lines, '\n'));
  }
  if (found.how.empty()) {
    co_return fail(ErrorKind::unavailable, "user: the target does not say who its users are: " +
                                               sanitize_utf8(first_bytes(*said, 200)));
  }
  co_return found;
}

// What starts a shell as that user; "su" is different.
std::string started_as(const TargetUser& user, const std::string& command) {
  const std::string text = shell::single_quote(command);
  const std::string shell = shell::shell_quote(user.shell);
  if (user.how == "su") {
    return "su -s " + shell + " -c " + text + " -- " + shell::shell_quote(user.name);
  }
  std::string starter = "runuser -u " + shell::shell_quote(user.name) + " --";
  if (user.how == "sudo") starter = "sudo -n -H -u '#" + user.uid + "' --";
  if (user.how == "setpriv") {
    starter = "setpriv --reuid " + user.uid + " --regid " + user.gid +
              (user.name.empty() ? " --clear-groups --" : " --init-groups --");
  }
  return starter + " " + shell + " -c " + text;
}

}  // namespace

Task<Result<void>> run_as(const ToolCall& call, const std::string& user,
                          environment::CommandSpec& spec) {
  if (!is_user(user)) {
    co_return fail(ErrorKind::bad_request, "user: expected the name or the number of a user");
  }
  const auto found = co_await look_up(call, user);
  if (!found) co_return fail(found.error());
  if (found->uid.empty()) {
    co_return fail(ErrorKind::not_found, "user: the target has no user '" + user + "'");
  }
  if (found->uid == found->own) co_return Result<void>();
  if (found->how == "none" && found->own == "0") {
    co_return fail(ErrorKind::unavailable,
                   "user: the target has no program that changes to user '" + user +
                       "' (runuser, setpriv or su); install util-linux there");
  }
  if (found->how == "none") {
    co_return fail(ErrorKind::denied,
                   "user: commands of this target run as user " + found->own +
                       ", which may not become '" + user +
                       "'. Run it at a target whose commands run as root, or allow it with sudo "
                       "(NOPASSWD)");
  }
  spec.command = started_as(*found, spec.command);
  const std::string name = found->name.empty() ? found->uid : found->name;
  set_variables(spec, {"HOME=" + found->home, "USER=" + name, "LOGNAME=" + name});
  co_return Result<void>();
}

}  // namespace talaria::tool
