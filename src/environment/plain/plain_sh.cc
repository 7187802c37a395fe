#include "environment/plain/plain_sh.h"

#include "environment/plain/plain_texts.h"
#include "shell/quote.h"

namespace talaria {
namespace {

// The EXIT trap, behind `set -- "$?" RUN`: unlike variables, positional parameters are never
// exported. Builtins only, because with a large environment no program can be started, and none of
// them by an alias. A name in `base` that is not set any more was unset; a line of a long value
// that only looks like one names nothing, and does no harm.
constexpr std::string_view kEnd = R"sh(
\set +aeuxvfnC
{ \export -p
  while IFS= \read -r l; do
    case $l in "export "*) l=${l#export } l=${l%%=*};; *) continue;; esac
    case $l in ""|[0-9]*|*[!A-Za-z0-9_]*) continue;; esac
    \eval "\\[ -n \"\${$l+x}\" ]" || \printf "unset %s\n" "$l"
  done <"$2/base"
  \printf "umask "; \umask
} >"$2/exports"
\alias >"$2/list"
while IFS= \read -r l; do
  case $l in "alias "*) ;; [!\"\'\ ]*=\'*) l="alias $l";; esac
  \printf "%s\n" "$l"
done <"$2/list" >"$2/aliases"
\printf "%s" "${OLDPWD-}" >"$2/old"
\printf "%s" "$PWD" >"$2/cwd"
\printf "%s" "$1" >"$2/status"
)sh";

constexpr std::string_view kAfterDirectory = R"sh(
printf '%s' "$__talaria_keep" >"$1/keep"
printf '%s' "$PWD" >"$1/start"
[ -z "$__talaria_old" ] || OLDPWD=$__talaria_old
unset __talaria_run __talaria_dir __talaria_old __talaria_want __talaria_keep
unset -f __talaria_go
)sh";

}  // namespace

std::string_view plain_sh_start() {
  return R"sh(echo $$ >"$1/pid"
set -- "$1" "$2" "$(cat "$1/command"; printf x)"
. "$1/sh"
\eval "\\set --; ${3%??}")sh";
}

// The command's own directory is not the session's, unless the command went elsewhere. Aliases that
// sh printed and cannot read back are left out.
std::string_view plain_sh_keeper() {
  return R"sh(
quoted() { { cat "$1"; echo; } | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/"; }
cmp -s "$t/cwd" "$t/start" || cat "$t/cwd" >"$t/keep"
{ cat "$t/exports"
  printf '__talaria_dir='; quoted "$t/keep"
  printf '__talaria_old='; quoted "$t/old"
  ! sh -n "$t/aliases" || cat "$t/aliases"; } >"$t/state" 2>/dev/null
)sh";
}

std::string plain_sh_prelude(const CommandSpec& spec, const std::string& id) {
  std::string text = export_lines(spec.carried_env, "") + "export -p >\"$1/base\"\n";
  text += "__talaria_run=$1 __talaria_old= __talaria_dir=" + first_directory(spec) + "\n";
  // A function, because aliases of the session's do not reach into what was read before them.
  text += "__talaria_go() {\n" + call_export_lines(spec.carried_env, "");
  text += "[ -z \"${TALARIA_PLAIN_RUN-}\" ] || export TALARIA_PLAIN_RUN=" + id + "\n";
  text += directory_lines(spec, "", "exit 126");
  // A literal path, so that no variable of ours is there while the command runs.
  text += "trap \"{ \\\\set -- \\\"\\$?\\\" '$2'\"" +
          single_quote(std::string(kEnd) + "} 2>/dev/null") + " EXIT\n";
  text += kAfterDirectory;
  return text + "}\n[ ! -f \"$1/session\" ] || . \"$1/session\"\n\\__talaria_go \"$1\" \"$2\"\n";
}

}  // namespace talaria
