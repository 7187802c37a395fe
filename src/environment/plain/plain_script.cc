#include "environment/plain/plain_script.h"

#include <charconv>

#include "base/sha256.h"
#include "base/text.h"
#include "shell/quote.h"
#include "shell/state.h"

namespace talaria {
namespace {

constexpr std::string_view kMark = "TALARIA_PLAIN_RUN";  // in the environment of what a run starts
constexpr std::string_view kFolder = "plain";            // in the place
constexpr std::size_t kMostNoise = 64 * 1024;            // before the command starts

std::string words(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& word : list) text += " " + word;
  return text;
}

// "~" and "~/x" are the home there.
std::string path_word(std::string_view path) {
  if (path == "~") return "\"${HOME:-/}\"";
  if (path.starts_with("~/")) return "\"${HOME:-/}\"/" + single_quote(path.substr(2));
  return single_quote(path);
}

std::string export_line(std::string_view entry) {
  const auto equals = entry.find('=');
  const std::string_view name = entry.substr(0, equals);
  if (equals == std::string_view::npos || !is_variable_name(name)) return {};
  return "export " + std::string(name) + "=" + single_quote(entry.substr(equals + 1)) + "\n";
}

std::string exports(const std::vector<std::string>& env, bool only_of_the_call) {
  std::string text;
  for (const std::string& entry : env) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    if (!only_of_the_call || comes_with_call(name)) text += export_line(entry);
  }
  return text;
}

// What bash had before the session's own changes, so that only those are kept.
constexpr std::string_view kRememberBash = R"sh(
declare -A __talaria_base=()
for __talaria_n in $(compgen -e); do __talaria_base[$__talaria_n]=${!__talaria_n-}; done
)sh";

// When the shell ends: what changed. Both are read by `.` in the EXIT trap.
constexpr std::string_view kKeepBash = R"sh(
IFS=$' \t\n'
for __talaria_n in $(compgen -e); do
  case $__talaria_n in PWD|OLDPWD|SHLVL|_|TALARIA_PLAIN_RUN) continue;; esac
  [[ ${__talaria_base[$__talaria_n]+x}${__talaria_base[$__talaria_n]-} == "x${!__talaria_n-}" ]] ||
    printf 'export %s=%q\n' "$__talaria_n" "${!__talaria_n-}"
  unset "__talaria_base[$__talaria_n]"
done
for __talaria_n in "${!__talaria_base[@]}"; do
  case $__talaria_n in PWD|OLDPWD|SHLVL|_) ;; *) printf 'unset -v %s\n' "$__talaria_n";; esac
done
printf '__talaria_cwd=%q\n__talaria_old=%q\n' "$__talaria_keep" "${OLDPWD-}"
)sh";
constexpr std::string_view kKeepSh = R"sh(
export -p
printf '%s\n' "$__talaria_keep" | sed "s/'/'\\\\''/g; 1s/^/__talaria_cwd='/; \$s/\$/'/"
)sh";

// A directory that is gone is replaced by its nearest ancestor.
constexpr std::string_view kGo = R"sh(
__talaria_dir=$__talaria_cwd
while [ -n "$__talaria_dir" ] && ! cd -- "$__talaria_dir" 2>/dev/null; do
  case $__talaria_dir in */*) __talaria_dir=${__talaria_dir%/*};; *) __talaria_dir=;; esac
done
[ -n "$__talaria_dir" ] || cd /
if [ -n "$__talaria_cwd" ] && [ "$__talaria_dir" != "$__talaria_cwd" ]; then
  printf '%s' "the working directory $__talaria_cwd is not there; this command ran in $PWD" \
    >"$__talaria_run/notice"
fi
)sh";

// The status first: all that follows would change it. The directory of one command is not the
// session's, unless the command went elsewhere.
constexpr std::string_view kEnd = R"sh({ set +euxvfnC; } 2>/dev/null
trap - EXIT
[ "$PWD" = "$__talaria_workdir" ] || __talaria_keep=$PWD
[ -z "$__talaria_session" ] || {
if [ -n "${BASH_VERSION-}" ]; then eval "$__talaria_bash"; else eval "$__talaria_sh"; fi
} >"$__talaria_run/state"
printf '%s' "$PWD" >"$__talaria_run/cwd"
printf '%s' "$__talaria_status" >"$__talaria_run/status"
)sh";

// What the command's shell reads first.
std::string prelude(const CommandSpec& spec) {
  const bool session = !spec.session.empty();
  std::string text = exports(spec.carried_env, false);
  text += "__talaria_cwd=" + path_word(spec.first_cwd.empty() ? "~" : spec.first_cwd) + "\n";
  text += "__talaria_old= __talaria_workdir=\n";
  if (session) {
    text += "[ -z \"${BASH_VERSION-}\" ] || eval " + single_quote(kRememberBash) + "\n" +
            "[ ! -f \"$__talaria_session\" ] || . \"$__talaria_session\"\n" +
            exports(spec.carried_env, true);
    if (!spec.move_to.empty()) text += "__talaria_cwd=" + path_word(spec.move_to) + "\n";
  }
  text += "export " + std::string(kMark) + "=$__talaria_id";
  text += kGo;
  text += "__talaria_keep=$PWD\n";
  if (spec.workdir) {
    text += "cd -- " + path_word(*spec.workdir) + " || exit 126\n__talaria_workdir=$PWD\n";
  } else {
    text += "[ -z \"$__talaria_old\" ] || OLDPWD=$__talaria_old\n";
  }
  text += "__talaria_bash=" + single_quote(kKeepBash) + "\n__talaria_sh=" + single_quote(kKeepSh) +
          "\n__talaria_end=" + single_quote(kEnd) + "\n";
  return text + "trap '__talaria_status=$?; eval \"$__talaria_end\"' EXIT\n";
}

// How a place is gone through: $d, if it is ours alone.
std::string each_place(const std::vector<std::string>& places) {
  return "for d in" + words(places) +
         "; do case $d in /tmp/*|/var/tmp/*|/dev/shm/*) [ ! -h \"$d\" ] || continue;; esac; ";
}

// Behind the header: what was sent is put on disk, and looked at whether it is all. The shell that
// runs the command is in a session of its own, where that can be had; it has no descriptor of ours.
constexpr std::string_view kRun = R"sh(
e=$(cat 2>&1 >"$t/in") || refuse "$t: $e"
[ "$(wc -c <"$t/in")" -eq $((prelude + command + data)) ] ||
  refuse "the command was cut off on its way"
{ dd bs="$prelude" count=1 of="$t/prelude" && dd bs="$command" count=1 of="$t/command" &&
  cat >"$t/data"; } <"$t/in" 2>/dev/null || refuse "$t: cannot be written to"
rm -f "$t/in"
input=/dev/null
[ "$given" = - ] || input=$t/data
if command -v bash >/dev/null 2>&1; then shell=bash; else shell=sh; fi
[ "$session" = - ] && file= || file=$f/$session.$shell
own=
! command -v setsid >/dev/null 2>&1 || own=setsid
printf '%s started\n' "$nonce"
umask "$u"
(exec <"$input" 2>&1; export TALARIA_PLAIN_RUN="$id"; exec $own $shell -c 'echo $$ >"$1/pid"
__talaria_run=$1 __talaria_session=$2 __talaria_id=$3; set --
. "$__talaria_run/prelude"
__talaria_command=$(cat "$__talaria_run/command"; printf x)
eval "${__talaria_command%?}"' $shell "$t" "$file" "$id")
status=$?
umask 077
said=- cwd= notice=
[ ! -f "$t/status" ] || { said=$(cat "$t/status"); cwd=$(cat "$t/cwd"; printf x); cwd=${cwd%?}; }
[ ! -f "$t/notice" ] || notice=$(cat "$t/notice")
[ -z "$file" ] || [ ! -s "$t/state" ] || [ "$said" = - ] ||
  { chmod 600 "$t/state" && mv "$t/state" "$file"; } ||
  notice="$notice what this command changed in the session was not kept"
rm -rf "$t"
printf '%s %s %s %s\n%s%s%s%s' "$nonce" "$status" "$said" "$shell" "$cwd" "$nonce" "$notice" "$nonce"
)sh";

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string plain_script(const std::vector<std::string>& places) {
  const std::string folder(kFolder);
  return "u=$(umask); umask 077; read -r nonce id prelude command data session given; "
         "refuse() { printf '%s refused %s\\n' \"$nonce\" \"$1\"; "
         "[ -z \"$t\" ] || rm -rf \"$t\"; exit 1; }; t=; " +
         each_place(places) +
         "mkdir -p \"$d\" 2>/dev/null && [ -O \"$d\" ] && chmod 700 \"$d\" || continue; f=\"$d/" +
         folder +
         "\"; mkdir -p \"$f\" 2>/dev/null && mkdir \"$f/$id\" 2>/dev/null && { t=\"$f/$id\"; "
         "break; }; done; [ -n \"$t\" ] || refuse 'no place here can be written to'" +
         std::string(kRun);
}

std::string plain_input(const PlainCall& call) {
  const CommandSpec& spec = call.spec;
  const std::string first = prelude(spec);
  const std::string command = spec.command + "\n";
  const std::string name = spec.session.empty() ? "-" : sha256_hex(spec.session).substr(0, 32);
  const std::string data = spec.stdin_data.value_or("");
  const auto size = [](const std::string& text) { return std::to_string(text.size()); };
  return call.nonce + " " + call.id + " " + size(first) + " " + size(command) + " " + size(data) +
         " " + name + (spec.stdin_data ? " input" : " -") + "\n" + first + command + data;
}

std::string plain_kill_script(const std::vector<std::string>& places, const std::string& id) {
  return "t=; for n in 1 2 3 4 5 6 7 8 9 10; do " + each_place(places) + "[ -s \"$d/" +
         std::string(kFolder) + "/" + id + "/pid\" ] && { t=\"$d/" + std::string(kFolder) + "/" +
         id + "\"; break; }; done; [ -z \"$t\" ] || break; " +
         "sleep 0.1 2>/dev/null || sleep 1; done; g=; [ -z \"$t\" ] || g=$(cat \"$t/pid\" "
         "2>/dev/null); look() { grep -sl '" +
         std::string(kMark) + "=" + id +
         "' /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r a b p c; do echo \"$p\"; done; "
         "}; send() { for p in $(look); do kill -\"$1\" \"$p\" 2>/dev/null; done; "
         "[ -z \"$g\" ] || kill -\"$1\" \"-$g\" 2>/dev/null || kill -\"$1\" \"$g\" 2>/dev/null; }; "
         "for s in TERM KILL KILL; do send $s; n=0; while [ $n -lt 20 ]; do "
         "[ -n \"$(look)\" ] || { [ -n \"$g\" ] && kill -0 \"-$g\" 2>/dev/null; } || break 2; "
         "n=$((n + 1)); sleep 0.05 2>/dev/null || sleep 1; done; "
         "done; for p in $(look); do read -r name 2>/dev/null </proc/$p/comm; echo \"$p $name\"; "
         "done";
}

std::string plain_remove_script(const std::vector<std::string>& places) {
  return each_place(places) + "[ ! -O \"$d/" + std::string(kFolder) + "\" ] || rm -rf \"$d/" +
         std::string(kFolder) + "\"; rmdir \"$d\" 2>/dev/null; done";
}

// The shell runs our EXIT trap also when a signal ends it, with the status of the command before.
ExitStatus PlainTrailer::exit_status() const {
  if (status > 128 && own_status != status) return Signaled{status - 128};
  return Exited{status};
}

void PlainReader::feed(std::string_view bytes, std::string& output) {
  held_ += bytes;
  if (!started_) find_start();
  if (started_) find_trailer(output);
}

void PlainReader::find_start() {
  const std::string start = nonce_ + " started\n";
  const auto at = held_.find(start);
  if (at == std::string::npos) {
    if (held_.size() > kMostNoise) held_.erase(0, held_.size() - kMostNoise);
    return;
  }
  started_ = true;
  held_.erase(0, at + start.size());
}

void PlainReader::find_trailer(std::string& output) {
  const auto at = held_.find(nonce_);
  if (at == std::string::npos) {
    // Its beginning may be at the end.
    const std::size_t sure = held_.size() - std::min(held_.size(), nonce_.size() - 1);
    output.append(held_, 0, sure);
    held_.erase(0, sure);
    return;
  }
  output.append(held_, 0, at);
  held_.erase(0, at);
  const auto line = held_.find('\n');
  const auto second = held_.find(nonce_, 1);
  const auto third = second == std::string::npos ? second : held_.find(nonce_, second + 1);
  if (line == std::string::npos || third == std::string::npos) return;
  std::string_view head = std::string_view(held_).substr(nonce_.size() + 1);
  head = head.substr(0, line - nonce_.size() - 1);
  PlainTrailer found;
  found.status = number(next_word(head)).value_or(255);
  found.own_status = number(next_word(head));
  found.shell = head;
  found.cwd = held_.substr(line + 1, second - line - 1);
  found.notice = held_.substr(second + nonce_.size(), third - second - nonce_.size());
  trailer_ = std::move(found);
  held_.clear();
}

void PlainReader::finish(std::string& output) {
  if (started_ && !trailer_) output += std::exchange(held_, {});
}

std::string PlainReader::refusal() const {
  const std::string word = nonce_ + " refused ";
  const auto at = held_.find(word);
  const std::string_view said = at == std::string::npos
                                    ? std::string_view(held_)
                                    : std::string_view(held_).substr(at + word.size());
  return std::string(trim(said));
}

}  // namespace talaria
