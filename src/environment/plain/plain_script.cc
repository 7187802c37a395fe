#include "environment/plain/plain_script.h"

#include <algorithm>
#include <charconv>

#include "base/sha256.h"
#include "base/text.h"
#include "environment/carrier/bootstrap.h"
#include "environment/plain/plain_bash.h"
#include "environment/plain/plain_sh.h"
#include "environment/plain/plain_texts.h"
#include "os/random.h"
#include "shell/quote.h"

namespace talaria::environment::plain {
namespace {

constexpr std::string_view kFolder = "plain";  // in the place
constexpr std::size_t kMostNoise = 64 * 1024;  // before the command starts
constexpr int kLastSignal = 64;                // of Linux

// A run's processes are known by a number that all of them inherit, whatever they do to get away:
// the soft limit of file locks, which Linux stopped heeding long ago. Unlike a variable it is in
// the way of nothing. Where it cannot be set, a variable is used. $id is the run's; zombies are
// ignored.
constexpr std::string_view kLook = R"sh(
look() { grep -sl -e "^Max file locks *$id " -e "TALARIA_PLAIN_RUN=$id" \
    /proc/[0-9]*/limits /proc/[0-9]*/environ 2>/dev/null |
  while IFS=/ read -r a b p c; do
    { read -r s <"/proc/$p/stat"; } 2>/dev/null || continue
    case ${s##*)} in " Z"*|" X"*) ;; *) echo "$p";; esac
  done; }
)sh";
constexpr std::string_view kMark = R"sh(
for o in x w; do
  (ulimit -S "-$o" "$id") >/dev/null 2>&1 && ulimit -S "-$o" "$id" && break
done
if grep -qs "^Max file locks *$id " /proc/self/limits; then
  : >"$t/limited"
else
  export TALARIA_PLAIN_RUN="$id"
fi
)sh";

// How those places are gone through that are there and ours: $d.
std::string each_place(const std::vector<std::string>& places) {
  return "for d in" + carrier::place_list(places) + "; do " + std::string(carrier::place_guard());
}

// Behind the header: what was sent is put on disk, and looked at whether it is all.
constexpr std::string_view kReceive = R"sh(
e=$(cat 2>&1 >"$t/in") || refuse "$t: $e"
[ "$(wc -c <"$t/in")" -eq $((bash_size + sh_size + keeper_size + command_size + data_size)) ] ||
  refuse "the command was cut off on its way"
part() { [ "$2" -eq 0 ] || dd bs="$2" count=1 of="$t/$1"; }
{ part bash "$bash_size" && part sh "$sh_size" && part keeper "$keeper_size" &&
  part command "$command_size" && cat >"$t/data"; } <"$t/in" 2>/dev/null ||
  refuse "$t: cannot be written to"
rm -f "$t/in"
if [ -n "$text" ]; then
  printf '%s\n' "$text" >"$t/command" || refuse "$t: cannot be written to"
  command_size=$(wc -c <"$t/command")
fi
input=/dev/null
[ "$given" = - ] || input=$t/data
shell=sh
! BASH_ENV= bash --norc -c '[ "${BASH_VERSINFO:-0}" -ge 4 ]' 2>/dev/null || shell=bash
[ "$session" = - ] && file= || file=$f/$session.$shell
[ ! -f "$file" ] || cat "$file" >"$t/session" || refuse "$file: cannot be read"
own=
[ -z "$apart" ] || ! command -v setsid >/dev/null 2>&1 || own=setsid
printf '%s started\n' "$nonce"
umask "$u"
)sh";

// The shell that runs the command is in a session of its own, if possible; it has no
// descriptor of ours. BASH_ENV is how bash is led to its prelude; one of the target's own is put
// back there. A bash that ssh has started reads ~/.bashrc instead, unless another was before it.
constexpr std::string_view kStartBash = R"sh(
  cd "$t" || exit 126
  [ -z "${BASH_ENV+x}" ] || printf '%s' "$BASH_ENV" >"$t/bash_env"
  unset POSIXLY_CORRECT
  line='\builtin eval -- "$BASH_EXECUTION_STRING"'
  [ "$command_size" -gt "$longest" ] || { line=$(cat "$t/command"; printf x); line=${line%??}; }
  export BASH_ENV=bash SHLVL=1
  exec $own bash -c "$line"
)sh";

// What is kept is merged into the session's file by one command at a time. That file is only
// replaced by one that is whole: the disk may be full.
constexpr std::string_view kKeep = R"sh(
status=$?
printf '%s' "$nonce"
children=$(look | wc -l)
umask 077
said=- cwd= notice= lost=
(flock 9
case $shell in
bash) BASH_ENV= bash "$t/keeper" "$t" "$file";;
*) [ -z "$file" ] || [ ! -f "$t/cwd" ] || keep_of_sh;;
esac || exit 1
[ ! -f "$t/state" ] || {
  [ "$(sed -n '$p' "$t/state")" = "# $id" ] && mv "$t/state" "$file"; }
) 9<"$f" >/dev/null 2>&1 || lost=$file
[ ! -s "$t/status" ] || { said=$(cat "$t/status"); cwd=$(cat "$t/cwd"; printf x); cwd=${cwd%?}; }
[ ! -f "$t/notice" ] || notice=$(cat "$t/notice")
[ -z "$lost" ] || notice="${notice:+$notice; }what this command changed in the session was not kept \
(is there room in $f?)"
rm -rf "$t"
printf '%s %s %s %s %s\n%s%s%s%s' "$nonce" "$status" "$said" "$shell" "$children" \
  "$cwd" "$nonce" "$notice" "$nonce"
exit "$status"
)sh";

std::string run_lines() {
  std::string text = std::string(kReceive) + std::string(kLook);
  text += "longest=" + std::to_string(longest_plain_argument()) + "\n";
  text += "keep_of_sh() {" + std::string(plain_sh_keeper()) + "}\n";
  text += "(exec <\"$input\" 2>&1" + std::string(kMark);
  text += "if [ $shell = bash ]; then" + std::string(kStartBash) + "fi\n";
  text += "exec $own sh -c " + shell::single_quote(plain_sh_start()) +
          " sh \"$t\" \"$(printf '%s' \"$t\" | sed \"s/'/'\\\\\\\\''/g\")\")";
  return text + std::string(kKeep);
}

// How many bytes at the end of `text` may be the beginning of `mark`.
std::size_t begun(std::string_view mark, std::string_view text) {
  std::size_t size = std::min(text.size(), mark.size() - 1);
  while (!text.ends_with(mark.substr(0, size))) --size;
  return size;
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string random_run_id() {
  return std::to_string(1'000'000'000'000'000 + std::stoull(os::random_hex(6), nullptr, 16));
}

void spare_session(CommandSpec& spec) {
  if (!spec.changes_session) spec.command = "(\n" + spec.command + "\n)";
}

Result<void> check_call(const CommandSpec& spec, const CancelToken& cancel) {
  if (cancel.cancelled()) return fail(ErrorKind::interrupted, "cancelled before it started");
  if (spec.script) {
    return fail(ErrorKind::unavailable,
                "scripts need a runner at the target, and none can run there (transport plain)");
  }
  if (spec.command.contains('\0')) {
    return fail(ErrorKind::bad_request, "the command contains a NUL byte");
  }
  return {};
}

std::string plain_script(const std::vector<std::string>& places, const PlainStyle& style) {
  const std::string folder(kFolder);
  return "text=" + (style.command ? shell::single_quote(*style.command) + "\n" : "; ") +
         (style.own_session ? "apart=1; " : "apart=; ") +
         "u=$(umask); umask 077; read -r nonce id session given "
         "bash_size sh_size keeper_size command_size data_size; "
         "refuse() { printf '%s refused %s\\n' \"$nonce\" \"$1\"; "
         "[ -z \"$t\" ] || rm -rf \"$t\"; exit 1; }; t=; for d in" +
         carrier::place_list(places) + "; do " + carrier::make_place() + "f=\"$d/" + folder +
         "\"; mkdir -p \"$f\" 2>/dev/null && mkdir \"$f/$id\" 2>/dev/null && { t=\"$f/$id\"; "
         "break; }; done; [ -n \"$t\" ] || refuse 'no place here can be written to'" +
         run_lines();
}

std::string plain_input(const PlainCall& call, const PlainStyle& style) {
  const CommandSpec& spec = call.spec;
  const std::string command = style.command ? "" : spec.command + "\n";
  const std::string name = spec.session.empty() ? "-" : sha256_hex(spec.session).substr(0, 32);
  std::string head = call.nonce + " " + call.id + " " + name + (spec.stdin_data ? " input" : " -");
  std::string body;
  for (const std::string& part :
       {plain_bash_prelude(spec, call.id), plain_sh_prelude(spec, call.id),
        plain_bash_keeper(call.id), command, spec.stdin_data.value_or("")}) {
    head += " " + std::to_string(part.size());
    body += part;
  }
  return head + "\n" + body;
}

// $g is the group of the command's shell. Whether anything of it is left is only asked ($w) if the
// limit does not show it: a group also has zombies, which may stay for long.
std::string plain_kill_script(const std::vector<std::string>& places, const std::string& id) {
  const std::string run = std::string(kFolder) + "/$id";
  return "id=" + id + "; t=; for n in 1 2 3 4 5 6 7 8 9 10; do " + each_place(places) +
         "[ -s \"$d/" + run + "/pid\" ] && { t=\"$d/" + run +
         "\"; break; }; done; [ -z \"$t\" ] || break; "
         "sleep 0.1 2>/dev/null || sleep 1; done; g=; [ -z \"$t\" ] || g=$(cat \"$t/pid\" "
         "2>/dev/null); w=$g; [ -z \"$t\" ] || [ ! -f \"$t/limited\" ] || w=" +
         std::string(kLook) +
         "send() { for p in $(look); do kill -\"$1\" \"$p\" 2>/dev/null; done; "
         "[ -z \"$g\" ] || kill -\"$1\" \"-$g\" 2>/dev/null || kill -\"$1\" \"$g\" 2>/dev/null; }; "
         "for s in TERM KILL KILL; do send $s; n=0; while [ $n -lt 20 ]; do "
         "[ -n \"$(look)\" ] || { [ -n \"$w\" ] && kill -0 \"-$w\" 2>/dev/null; } || break 2; "
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
  const int signal = status - 128;
  if (signal >= 1 && signal <= kLastSignal && own_status != status) return Signaled{signal};
  return Exited{status};
}

void PlainReader::feed(std::string_view bytes, std::string& output) {
  held_ += bytes;
  if (!started_) find_start();
  if (started_ && !ended_) find_end(output);
  if (ended_ && !trailer_) find_trailer();
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

void PlainReader::find_end(std::string& output) {
  const auto at = held_.find(nonce_);
  if (at == std::string::npos) {
    const std::size_t sure = held_.size() - begun(nonce_, held_);
    output.append(held_, 0, sure);
    held_.erase(0, sure);
    return;
  }
  output.append(held_, 0, at);
  held_.erase(0, at + nonce_.size());
  ended_ = true;
}

void PlainReader::find_trailer() {
  const auto at = held_.find(nonce_);
  held_.erase(0, at == std::string::npos ? held_.size() - begun(nonce_, held_) : at);
  if (at == std::string::npos) return;
  const auto line = held_.find('\n');
  const auto second = held_.find(nonce_, 1);
  const auto third = second == std::string::npos ? second : held_.find(nonce_, second + 1);
  if (line == std::string::npos || third == std::string::npos) return;
  std::string_view head = std::string_view(held_).substr(nonce_.size() + 1);
  head = head.substr(0, line - nonce_.size() - 1);
  PlainTrailer found;
  found.status = number(next_word(head)).value_or(255);
  found.own_status = number(next_word(head));
  found.shell = next_word(head);
  found.children = static_cast<std::uint32_t>(number(trim(head)).value_or(0));
  found.cwd = held_.substr(line + 1, second - line - 1);
  found.notice = held_.substr(second + nonce_.size(), third - second - nonce_.size());
  trailer_ = std::move(found);
  held_.clear();
}

void PlainReader::finish(std::string& output) {
  if (started_ && !ended_) output += std::exchange(held_, {});
}

std::string PlainReader::refusal() const {
  const std::string word = nonce_ + " refused ";
  const auto at = held_.find(word);
  const std::string_view said = at == std::string::npos
                                    ? std::string_view(held_)
                                    : std::string_view(held_).substr(at + word.size());
  return std::string(trim(said));
}

}  // namespace talaria::environment::plain
