#include "tools/script/script_command.h"

#include "shell/quote.h"

namespace talaria::tool {
namespace {

constexpr std::string_view kNoPython = "talaria: no python\n";
constexpr int kNotFound = 127;

// What scripts have of an environment: these and no others, but none that is named like a secret.
constexpr std::string_view kPassed =
    "PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_*|TERM|TMPDIR|TMP|TEMP|XDG_*|PYTHONPATH|"
    "VIRTUAL_ENV|CONDA*|HERMES_HOME|HERMES_PROFILE|HERMES_CONFIG|HERMES_ENV|HERMES_REAL_HOME";
constexpr std::string_view kSecret =
    "*[Kk][Ee][Yy]*|*[Tt][Oo][Kk][Ee][Nn]*|*[Ss][Ee][Cc][Rr][Ee][Tt]*|"
    "*[Pp][Aa][Ss][Ss][Ww][Oo][Rr][Dd]*|*[Cc][Rr][Ee][Dd][Ee][Nn][Tt][Ii][Aa][Ll]*|"
    "*[Pp][Aa][Ss][Ss][Ww][Dd]*|*[Aa][Uu][Tt][Hh]*|*[Dd][Ss][Nn]*|*[Ww][Ee][Bb][Hh][Oo][Oo][Kk]*";

// Nothing of the session may stand for what is used here: no function (in posix mode, which the
// assignment switches on, none hides a special builtin), no alias (they go before the next line is
// read), no option, and no variable of ours that it exports. The interpreters that were found good
// are remembered beside the scripts: to ask one costs as much as a small script.
constexpr std::string_view kBeginning =
    R"sh(POSIXLY_CORRECT=1; \unset -f unset set export exec exit break continue \
return command unalias shopt printf read cd declare compgen '[' env sed _talaria_usable 2>/dev/null
\unalias -a 2>/dev/null
set +aeuvxC -f
unset POSIXLY_CORRECT _talaria_place _talaria_socket _talaria_known _talaria_python
unset _talaria_one _talaria_base _talaria_name _talaria_all
if [ -n "${BASH_VERSION-}" ]; then set +k; shopt -u nocasematch; fi
_talaria_place=$TALARIA_SCRIPT _talaria_socket=$HERMES_RPC_SOCKET
_talaria_known=${TALARIA_SCRIPT%/*}/pythons _talaria_python=
_talaria_usable() {
  if [ -f "$_talaria_known" ] && ! [ "$1" -nt "$_talaria_known" ]; then
    while IFS= read -r _talaria_one; do
      if [ "$_talaria_one" = "$1" ]; then return 0; fi
    done <"$_talaria_known"
  fi
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 8))' </dev/null >/dev/null 2>&1 || return 1
  printf '%s\n' "$1" >>"$_talaria_known"
}
)sh";

// One that cannot be used ends the search: it was meant, and is not replaced by another project's.
constexpr std::string_view kOfProject =
    R"sh(for _talaria_base in "${VIRTUAL_ENV-}" "${CONDA_PREFIX-}"; do
  [ -n "$_talaria_base" ] || continue
  for _talaria_one in "$_talaria_base/bin/python" "$_talaria_base/bin/python3"; do
    [ -f "$_talaria_one" ] && [ -x "$_talaria_one" ] || continue
    _talaria_python=$_talaria_one
    _talaria_usable "$_talaria_python" || _talaria_python=
    break 2
  done
done
)sh";

constexpr std::string_view kEnd = R"sh(if [ -z "$_talaria_python" ]; then
  printf 'talaria: no python\n' >"$_talaria_place/errors"
  exit 127
fi
)sh";

// The session's directory is for imports, too, but behind Python's own modules: in front of them,
// as PYTHONPATH would have it, a project's json.py or re.py would break the interpreter itself.
// Python runs a file of this name at its start. One of the system's by that name is run as well,
// and so is what Python would run next, while a project's cannot be taken for it.
constexpr std::string_view kImports = R"py(import os
import sys

_mine = sys.modules.pop("sitecustomize")
_place = os.path.dirname(__file__)
sys.path.remove(_place)
_names = ["sitecustomize"]
if sys.modules["site"].ENABLE_USER_SITE:
    _names.append("usercustomize")
try:
    for _name in _names:
        try:
            __import__(_name)
        except ImportError as error:
            if error.name != _name:
                raise
finally:
    for _name in _names:
        sys.modules.setdefault(_name, _mine)
    sys.path.insert(0, _place)
_own = os.path.dirname(getattr(os, "__file__", ""))
_behind = [at for at, one in enumerate(sys.path) if one in (_own, _own + "/lib-dynload")]
try:
    sys.path.insert(_behind[-1] + 1 if _behind else len(sys.path), os.getcwd())
except OSError:
    pass  # it was removed
)py";

// Without a process of its own, like all of this: each would cost a tenth of a small script.
std::string find_default(const std::string& python) {
  const std::string look = python.empty()
                               ? R"sh(  IFS=:
  for _talaria_base in $PATH; do
    _talaria_one=$_talaria_base/python3
    if [ -f "$_talaria_one" ] && [ -x "$_talaria_one" ]; then
      _talaria_python=$_talaria_one
      break
    fi
  done
)sh"
                               : "  _talaria_python=" + shell::single_quote(python) + "\n";
  return "if [ -z \"$_talaria_python\" ]; then\n" + look +
         "  if [ -n \"$_talaria_python\" ] && ! _talaria_usable \"$_talaria_python\"; then "
         "_talaria_python=; fi\nfi\n";
}

// Also the functions that were exported. The names go through a file; if that cannot be written
// (no room, say) the script does not run: it would have everything.
constexpr std::string_view kNames = R"sh(if [ -n "${BASH_VERSION-}" ]; then
  declare -Fx >"$_talaria_place/names"
  while read -r _talaria_one _talaria_name _talaria_name; do
    unset -f "$_talaria_name"
  done <"$_talaria_place/names"
  compgen -e >"$_talaria_place/names"
else
  env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p' >"$_talaria_place/names"
fi && printf '.\n' >>"$_talaria_place/names"
)sh";
constexpr std::string_view kAllOrNothing = R"sh(if [ -z "$_talaria_all" ]; then
  printf 'talaria: the environment cannot be cleared\n' >"$_talaria_place/errors"
  exit 126
fi
)sh";

std::string take_away(const std::set<std::string>& passed) {
  std::string given;
  for (const std::string& name : passed) given += (given.empty() ? "" : "|") + name;
  if (!given.empty()) given = "    " + given + ") ;;\n";
  const std::string withheld =
      "unset \"$_talaria_name\" 2>/dev/null || export -n \"$_talaria_name\" ;;\n";
  return std::string(kNames) +
         "while read -r _talaria_name; do\n  case $_talaria_name in\n    .) _talaria_all=yes ;;\n" +
         given + "    " + std::string(kSecret) + ") " + withheld + "    " + std::string(kPassed) +
         ") ;;\n    *) " + withheld + "  esac\ndone <\"$_talaria_place/names\"\n" +
         std::string(kAllOrNothing);
}

}  // namespace

std::string script_command(const ScriptCommand& script) {
  std::string text(kBeginning);
  if (!script.strict) text += kOfProject;
  text += find_default(script.python);
  text += kEnd;
  if (script.strict) text += "cd -- \"$_talaria_place\"\n";
  text += "unset IFS\n";
  text += take_away(script.passed);
  text +=
      "export HERMES_RPC_SOCKET=\"$_talaria_socket\" PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1 "
      "PYTHONIOENCODING=utf-8 PYTHONPATH=\"$_talaria_place${PYTHONPATH:+:$PYTHONPATH}\"\n";
  text += "printf %s " + shell::single_quote(kImports) + " >\"$_talaria_place/sitecustomize.py\"\n";
  if (!script.time_zone.empty())
    text += "export TZ=" + shell::single_quote(script.time_zone) + "\n";
  text += "exec \"$_talaria_python\" \"$_talaria_place/script.py\" 2>\"$_talaria_place/errors\"";
  return text;
}

bool lacks_python(const environment::CommandOutcome& outcome) {
  const auto* exited = std::get_if<Exited>(&outcome.status);
  return exited && exited->code == kNotFound && outcome.errors == kNoPython;
}

}  // namespace talaria::tool
