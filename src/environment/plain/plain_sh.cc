#include "environment/plain/plain_sh.h"

#include "environment/plain/plain_texts.h"
#include "shell/quote.h"
#include "shell/state.h"

namespace talaria::environment::plain {
namespace {

// The EXIT trap, behind `set -- "$?" RUN "$-"`: unlike variables, positional parameters are never
// exported. Builtins only, because with a large environment no program can be started, and none of
// them by an alias. `whole` is only there if all the rest is: a disk may be full.
constexpr std::string_view kEnd = R"sh(
\set +aeuxvfnC
\printf "%s" "$PWD" >"$2/cwd" && \printf "%s" "$1" >"$2/status" &&
  \printf "%s" "${OLDPWD-}" >"$2/old" && \printf "%s" "$3" >"$2/options" &&
  { \umask; } >"$2/umask" && { \alias; } >"$2/list" && { \export -p; } >"$2/exports" &&
  \printf x >"$2/whole"
)sh";

constexpr std::string_view kShAfterDirectory = R"sh(
{ printf '%s' "$__talaria_keep" >"$1/keep" && printf '%s' "$PWD" >"$1/start" &&
  printf '%s' "$__talaria_begun" >"$1/begun"; } 2>/dev/null
[ -z "$__talaria_old" ] || OLDPWD=$__talaria_old
set -- "$__talaria_set"
unset __talaria_run __talaria_dir __talaria_old __talaria_want __talaria_keep __talaria_begun \
  __talaria_set
unset -f __talaria_go
[ -z "$1" ] || set "-$1"
)sh";

// A script of its own, with the run's directory, the session's, the one before it, and `$-`: prints
// the variables that differ from those before the session's own, so that all others are what the
// caller brings each time. As above it has but builtins, and no names that may be the user's.
//
// All are set as they were, noted, set as they are, and unset if that is the same; `export -p` then
// has what changed. A line of a long value that only looks like one of `export -p` names what is
// not set, or what another line names, too.
constexpr std::string_view kChanges = R"sh(
each() {
  while IFS= read -r __talaria_n; do
    case $__talaria_n in "export "*) __talaria_n=${__talaria_n#export };; *) continue;; esac
    __talaria_n=${__talaria_n%%=*}
    case $__talaria_n in ""|[0-9]*|*[!A-Za-z0-9_]*) ;; *) "$2" "$__talaria_n";; esac
  done <"$1"
}
note() { eval "__talaria_was_$1=\${$1+x\$$1}"; }
compare() {
  case $1 in @UNKEPT@|TALARIA_PLAIN_RUN|__talaria_*) unset "$1"; return;; esac
  eval "set -- $1 \"\${__talaria_was_$1-}\" \"\${$1+x\$$1}\""
  [ -z "$3" ] || [ "$2" = "$3" ] || return 0
  unset "$1"
  [ "$2" = "$3" ] || printf 'unset %s\n' "$1" || exit 1
  eval "__talaria_was_$1="
}
. "$1/base"
each "$1/base" note
each "$1/base" unset
. "$1/exports"
each "$1/base" compare
each "$1/exports" compare
IFS= read -r __talaria_n <"$1/umask" && printf 'umask %s\n' "$__talaria_n" || exit 1
export __talaria_dir="$2" __talaria_old="$3" __talaria_set=
for __talaria_n in a f C; do
  case $4 in *"$__talaria_n"*) __talaria_set=$__talaria_set$__talaria_n;; esac
done
export -p
)sh";

// The command's own directory is not the session's, unless the command went elsewhere. Aliases that
// sh printed and cannot read back are left out.
constexpr std::string_view kKeeper = R"sh(
[ -s "$t/begun" ] && [ -s "$t/whole" ] || return 1
cmp -s "$t/cwd" "$t/start" || cat "$t/cwd" >"$t/keep" || return 1
while IFS= read -r l; do
  case $l in "alias "*) ;; [!\"\'\ ]*=\'*) l="alias $l";; esac
  printf '%s\n' "$l" || return 1
done <"$t/list" >"$t/aliases"
sh -n "$t/aliases" || : >"$t/aliases"
keep=$(cat "$t/keep"; printf x)
old=$(cat "$t/old"; printf x)
{ sh -c "$changes" sh "$t" "${keep%x}" "${old%x}" "$(cat "$t/options")" &&
  cat "$t/aliases" && printf '# %s\n' "$id"; } >"$t/state"
)sh";

}  // namespace

std::string_view plain_sh_start() {
  return R"sh(echo $$ >"$1/pid"
set -- "$1" "$2" "$(cat "$1/command"; printf x)"
. "$1/sh"
\eval "\\set --; ${3%??}")sh";
}

std::string plain_sh_keeper() {
  std::string changes(kChanges);
  constexpr std::string_view kUnkept = "@UNKEPT@";
  changes.replace(changes.find(kUnkept), kUnkept.size(), shell::unsaved_variables());
  return "\nchanges=" + shell::single_quote(changes) + std::string(kKeeper);
}

std::string plain_sh_prelude(const CommandSpec& spec, const std::string& id) {
  std::string text = export_lines(spec.carried_env, "") +
                     "__talaria_begun= __talaria_set=\n"
                     "{ export -p; } 2>/dev/null >\"$1/base\" && __talaria_begun=x\n";
  text += "__talaria_run=$1 __talaria_old= __talaria_dir=" + first_directory(spec) + "\n";
  // A function, because aliases of the session's do not reach into what was read before them.
  text += "__talaria_go() {\n" + call_export_lines(spec.carried_env, "");
  text += "[ -z \"${TALARIA_PLAIN_RUN-}\" ] || export TALARIA_PLAIN_RUN=" + id + "\n";
  text += directory_lines(spec, "", "exit 126");
  // A literal path, so that no variable of ours is there while the command runs.
  text += "trap \"{ \\\\set -- \\\"\\$?\\\" '$2' \\\"\\$-\\\"\"" +
          shell::single_quote(std::string(kEnd) + "} 2>/dev/null") + " EXIT\n";
  text += kShAfterDirectory;
  return text + "}\n[ ! -f \"$1/session\" ] || . \"$1/session\"\n\\__talaria_go \"$1\" \"$2\"\n";
}

}  // namespace talaria::environment::plain
