#include "environment/plain/plain_bash.h"

#include "environment/plain/plain_texts.h"
#include "shell/dump.h"
#include "shell/quote.h"
#include "shell/script.h"
#include "shell/state.h"

namespace talaria::environment::plain {
namespace {

constexpr std::string_view kBuiltin = "\\builtin ";

// Where the dump goes, in the texts of shell/script.h: only the target knows the path.
constexpr std::string_view kDumpPath = "@talaria-dump@";

// Applies one line of a session. What would change how our own lines are read waits until the end:
// `set` options, aliases that count, a function named builtin.
constexpr std::string_view kPut = R"sh(
function __talaria_put () {
  case $1$3 in
    v-) \builtin unset -v "$2";;
    v+*) \builtin export "$2=${3#+}";;
    f-) \builtin unset -f "$2";;
    f+*)
      if [[ $2 == builtin ]]; then
        __talaria_late+=${3#+}
      else
        \builtin shopt -s extglob
        \builtin eval "${3#+}"
        \builtin shopt -u extglob
      fi;;
    a-) \builtin unalias -- "$2";;
    a+*) \builtin alias -- "$2=${3#+}";;
    o*)
      case $2$3 in
        '-o '*-) __talaria_late="\\builtin set +o ${2#-o }"$'\n'$__talaria_late;;
        '-o '*) __talaria_late="\\builtin set -o ${2#-o }"$'\n'$__talaria_late;;
        expand_aliases+*) __talaria_late=$'\\builtin shopt -s expand_aliases\n'$__talaria_late;;
        *-) \builtin shopt -u "$2";;
        *) \builtin shopt -s "$2";;
      esac;;
    u+*) \builtin umask "${3#+}";;
    d+*) __talaria_dir=${3#+};;
  esac
}
)sh";

// What there is before the session's own, in the form of a dump.
constexpr std::string_view kBase = R"sh(
{ \builtin printf '\0%s\0%s\0' "$__talaria_id" "0 $SHELLOPTS $BASHOPTS"
  \builtin umask; \builtin printf '\0\0'
  \builtin export -p; \builtin printf '\0\0'
  \builtin declare -F; \builtin printf '\0'
  \builtin declare -f; \builtin printf '\0%s\0' "$__talaria_id"
} >"$__talaria_run/base"
)sh";

constexpr std::string_view kLoad = R"sh(
if [[ -f $__talaria_run/session ]]; then
  IFS= \builtin read -r -d '' __talaria_word <"$__talaria_run/session"
  \builtin eval "$__talaria_word" 2>/dev/null
fi
)sh";

// `cd` has set OLDPWD, which is put back as it was.
constexpr std::string_view kAfterDirectory = R"sh(
\builtin printf '%s\0%s\0' "$__talaria_keep" "$PWD" >"$__talaria_run/at"
if [[ $__talaria_old ]]; then
  \builtin export OLDPWD="${__talaria_old#+}"
else
  \builtin unset -v OLDPWD
  \builtin export OLDPWD
fi
if [[ -f $__talaria_run/bash_env ]]; then
  IFS= \builtin read -r -d '' BASH_ENV <"$__talaria_run/bash_env"
  \builtin export BASH_ENV
fi
\builtin unset -f __talaria_go __talaria_put
\builtin eval "$__talaria_late"
}
__talaria_go
)sh";

// A plain `bash -c` reads the file BASH_ENV names; the last line gives $_ a value that is not ours.
constexpr std::string_view kUsersFile = R"sh(
[[ -z ${BASH_ENV-} ]] || \builtin eval "[[ ! -e \"$BASH_ENV\" ]] || \\builtin . \"$BASH_ENV\""
{ \builtin : bash; } 2>/dev/null
)sh";

// The trap that dumps, from shell/script.h. It is made for an empty state, whose directory is the
// one we are in.
std::string dump_trap(const CommandSpec& spec, const std::string& id) {
  shell::ShellState nothing;
  nothing.cwd = ".";
  shell::Dispatch dispatch;
  dispatch.command = spec.command;
  dispatch.nonce = id;
  dispatch.dump_path = kDumpPath;
  return "__talaria_word=" + shell::single_quote(shell::go_text(nothing, nothing, dispatch)) +
         "\n" +
         "\\builtin printf -v __talaria_old %q \"$__talaria_run/dump\"\n"
         "__talaria_old=${__talaria_old//\\'/\"'\\\\''\"}\n"
         "__talaria_word=${__talaria_word//" +
         std::string(kDumpPath) + "/\"$__talaria_old\"}\n\\builtin eval \"$__talaria_word\"\n";
}

// The keeper's. All is in one map `m`; its keys are SIDE KIND ":" NAME. The sides are b(efore the
// command), a(fter it), c(hanges that the session had then) and s(ession as it is now).
constexpr std::string_view kReadDump = R"sh(
__talaria_put() { m[$side$1:$2]=$3; }
note_variable() {
  local flags=
  while [[ ${1-} == -* ]]; do flags+=$1; shift; done
  [[ ${1-} == *=* && $flags != *[aA]* ]] || return 0
  case ${1%%=*} in @UNKEPT_VARIABLES@) ;; *) m[${side}v:${1%%=*}]=${1#*=};; esac
}
note_options() {
  local word IFS=:
  for word in $2; do
    case $word in @UNKEPT_OPTIONS@) ;; *) m[${side}o:$1$word]=on;; esac
  done
}
note_aliases() {
  local word
  local -a words=()
  eval "words=($1)"
  for word in "${words[@]}"; do
    [[ $word != *=* ]] || m[${side}a:${word%%=*}]=${word#*=}
  done
}
note_function() {  # NAME HOW TEXT
  [[ $1 && $1 != __talaria_* && ( $1 != trap || $3 != *'POSIXLY_CORRECT=$?'* ) ]] || return 0
  local text=$3
  [[ $2 != *x* || $text == *"declare -fx $1"$'\n' ]] || text+="declare -fx $1"$'\n'
  m[${side}f:$1]=$text
}
note_functions() {  # the list of names, the bodies in the same order
  local line last= name= how= text= IFS=$'\n'
  local -a list=($1)
  local i=0 next
  IFS=
  printf '%s' "$2" >"$run/part" || return 1
  while read -r line; do
    next=${list[i]-}
    if [[ $next && ( -z $last || $last == '}' || $last == '} '* || $last == 'declare -f'* ) &&
      ( $line == "${next##* } () " || $line == "function ${next##* } () " ) ]]; then
      note_function "$name" "$how" "$text"
      name=${next##* } how=${next% *} text=
      i=$((i + 1))
    fi
    text+=$line$'\n' last=$line
  done <"$run/part"
  note_function "$name" "$how" "$text"
}
read_dump() {  # FILE; fails if it is not whole
  local text options
  local -a part=()
  while IFS= read -r -d '' text; do part+=("$text"); done <"$1"
  [[ ${part[1]-} == "$id" && ${part[9]-} == "$id" ]] || return 1
  status=${part[2]%% *} options=${part[2]#* }
  note_options '-o ' "${options%% *}"
  note_options '' "${options#* }"
  m[${side}u:]=${part[3]%$'\n'}
  cwd=${part[4]%$'\n'}
  export() { note_variable "$@"; }
  declare() { note_variable "$@"; }
  eval "${part[5]}"
  unset -f export declare
  note_aliases "${part[6]}"
  note_functions "${part[7]}" "${part[8]}"
}
)sh";

constexpr std::string_view kMerge = R"sh(
read_session() {  # FILE SIDE
  local text
  [[ -f $1 ]] || return 0
  side=$2
  IFS= read -r -d '' text <"$1"
  eval "$text"
}
had() {  # whether the command began with it so: NAME VALUE
  local change=${m[c$1]-}
  if [[ $change ]]; then [[ $change == "+$2" ]]; else [[ ${m[b$1]+x}${m[b$1]-} == "x$2" ]]; fi
}
had_any() {
  local change=${m[c$1]-}
  if [[ $change ]]; then [[ $change == +* ]]; else [[ ${m[b$1]+x} ]]; fi
}
merge() {
  local key name
  for key in "${!m[@]}"; do
    name=${key#?}
    case $key in
      a*) had "$name" "${m[$key]}" || m[s$name]=+${m[$key]};;
      [bc]*) [[ ${m[a$name]+x} ]] || ! had_any "$name" || m[s$name]=-;;
    esac
  done
}
write_session() {
  local kind key
  for kind in v d f a o u; do
    for key in "${!m[@]}"; do
      [[ $key == s$kind:* ]] || continue
      printf '__talaria_put %s %q %q\n' $kind "${key#s?:}" "${m[$key]}" || return 1
    done
  done
  printf '# %s\n' "$id"
}
)sh";

// The command's own directory is not the session's, unless the command went elsewhere. Its exit
// status is reported even if there is no room for the rest.
constexpr std::string_view kKeepState = R"sh(
[[ -f $run/dump ]] || exit 0
declare -A m=()
side=b
read_dump "$run/base" || exit 1
side=a
read_dump "$run/dump" || exit 1
printf '%s' "$cwd" >"$run/cwd" && printf '%s' "$status" >"$run/status" || exit 1
[[ $file ]] || exit 0
{ IFS= read -r -d '' keep && IFS= read -r -d '' start; } <"$run/at" || exit 1
read_session "$run/session" c
read_session "$file" s
[[ -z $cwd || $cwd == "$start" ]] || keep=$cwd
m[ad:]=$keep
merge
write_session >"$run/state"
)sh";

std::string replaced(std::string text, std::string_view what, const std::string& with) {
  const auto at = text.find(what);
  return text.replace(at, what.size(), with);
}

}  // namespace

std::string plain_bash_prelude(const CommandSpec& spec, const std::string& id) {
  std::string text = "\\builtin printf '%s' \"$$\" >pid\n";
  if (spec.command.size() + 1 > longest_plain_argument()) {
    text += "IFS= \\builtin read -r -d '' BASH_EXECUTION_STRING <command\n";
  }
  text += kPut;
  text +=
      "function __talaria_go () {\n"
      "\\builtin local __talaria_run=\"$PWD\" __talaria_id=" +
      id +
      " __talaria_word __talaria_old __talaria_late __talaria_dir __talaria_want "
      "__talaria_keep\n";
  text += dump_trap(spec, id) + export_lines(spec.carried_env, kBuiltin);
  text += "__talaria_dir=" + first_directory(spec) + "\n";
  text += kBase;
  text += kLoad;
  text += call_export_lines(spec.carried_env, kBuiltin);
  text += "__talaria_old=${OLDPWD++$OLDPWD}\n";
  text += directory_lines(spec, kBuiltin, "{ \\builtin trap - EXIT; \\builtin exit 126; }");
  text += kAfterDirectory;
  text += kUsersFile;
  return text;
}

std::string plain_bash_keeper(const std::string& id) {
  std::string text = "LC_ALL=C\nset -f\nrun=$1 file=$2 id=" + id + "\n";
  text +=
      replaced(replaced(std::string(kReadDump), "@UNKEPT_VARIABLES@", shell::unsaved_variables()),
               "@UNKEPT_OPTIONS@", shell::unsaved_options());
  text += kMerge;
  text += kKeepState;
  return text;
}

}  // namespace talaria::environment::plain
