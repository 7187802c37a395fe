#include "tools/script/script_command.h"

#include "shell/quote.h"

namespace talaria {
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

// Nothing of the session may stand for what is used here. The interpreters that were found good are
// remembered beside the scripts: to ask one costs as much as a small script.
constexpr std::string_view kBeginning =
    R"sh(\unset -f unset command printf read cd exec export usable 2>/dev/null
place=$TALARIA_SCRIPT endpoint=$HERMES_RPC_SOCKET known=${TALARIA_SCRIPT%/*}/pythons python=
usable() {
  if [ -f "$known" ] && ! [ "$1" -nt "$known" ]; then
    while IFS= read -r one; do
      if [ "$one" = "$1" ]; then return 0; fi
    done <"$known"
  fi
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 8))' </dev/null >/dev/null 2>&1 || return 1
  printf '%s\n' "$1" >>"$known"
}
)sh";

// One that cannot be used ends the search: it was meant, and is not replaced by another project's.
constexpr std::string_view kOfProject = R"sh(for base in "${VIRTUAL_ENV-}" "${CONDA_PREFIX-}"; do
  [ -n "$base" ] || continue
  for name in python python3; do
    [ -f "$base/bin/$name" ] && [ -x "$base/bin/$name" ] || continue
    if usable "$base/bin/$name"; then python=$base/bin/$name; fi
    break 2
  done
done
)sh";

constexpr std::string_view kEnd = R"sh(if [ -z "$python" ]; then
  printf 'talaria: no python\n' >"$place/errors"
  \command exit 127
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
  const std::string look = python.empty() ? R"sh(  IFS=:
  for base in $PATH; do
    if [ -f "$base/python3" ] && [ -x "$base/python3" ]; then python=$base/python3; break; fi
  done
)sh"
                                          : "  python=" + single_quote(python) + "\n";
  return "if [ -z \"$python\" ]; then\n" + look +
         "  if [ -n \"$python\" ] && ! usable \"$python\"; then python=; fi\nfi\n";
}

// Also the functions that were exported.
std::string take_away(const std::set<std::string>& passed) {
  std::string given;
  for (const std::string& name : passed) given += (given.empty() ? "" : "|") + name;
  if (!given.empty()) given = "    " + given + ") ;;\n";
  const std::string withheld = "unset \"$name\" 2>/dev/null || export -n \"$name\" ;;\n";
  return "if [ -n \"${BASH_VERSION-}\" ]; then\n"
         "  declare -Fx >\"$place/names\"\n"
         "  while read -r one name name; do unset -f \"$name\"; done <\"$place/names\"\n"
         "  compgen -e >\"$place/names\"\n"
         "else\n"
         "  command env | command sed -n 's/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p' "
         ">\"$place/names\"\n"
         "fi\n"
         "while read -r name; do\n  case $name in\n" +
         given + "    " + std::string(kSecret) + ") " + withheld + "    " + std::string(kPassed) +
         ") ;;\n    *) " + withheld + "  esac\ndone <\"$place/names\"\n";
}

}  // namespace

std::string script_command(const ScriptCommand& script) {
  std::string text(kBeginning);
  if (!script.strict) text += kOfProject;
  text += find_default(script.python);
  text += kEnd;
  if (script.strict) text += "\\command cd -- \"$place\"\n";
  text += "unset IFS\n";
  text += take_away(script.passed);
  text +=
      "export HERMES_RPC_SOCKET=\"$endpoint\" PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1 "
      "PYTHONIOENCODING=utf-8 PYTHONPATH=\"$place${PYTHONPATH:+:$PYTHONPATH}\"\n";
  text += "printf %s " + single_quote(kImports) + " >\"$place/sitecustomize.py\"\n";
  if (!script.time_zone.empty()) text += "export TZ=" + single_quote(script.time_zone) + "\n";
  text += "\\command exec \"$python\" \"$place/script.py\" 2>\"$place/errors\"";
  return text;
}

bool lacks_python(const CommandOutcome& outcome) {
  const auto* exited = std::get_if<Exited>(&outcome.status);
  return exited && exited->code == kNotFound && outcome.errors == kNoPython;
}

}  // namespace talaria
