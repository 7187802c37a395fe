# Helpers shared by the engine scripts; sourced, never run. An engine script sets `engine` to its
# name first. Exit status 77 means: this machine cannot run the engine, and the line printed says why.
# shellcheck shell=sh

repository=$(cd "$(dirname "$0")/../.." && pwd)
cache=${TALARIA_ENGINE_CACHE:-$repository/build/cache/engines}

say() { echo "engine ${engine:?}: $*" >&2; }

die() {
  say "$*"
  exit 1
}

cannot() {
  say "cannot run here: $*"
  exit 77
}

need_program() {
  for program in "$@"; do
    command -v "$program" >/dev/null || cannot "$program is not installed (scripts/install-deps engines)"
  done
}

# The engine's own folder inside the folder the caller named. Paths go into socket addresses and
# command lines, so they must be short and plain.
engine_directory() {
  case $1 in
    /*) ;;
    *) die "the directory must be an absolute path, not '$1'" ;;
  esac
  case $1 in
    *[!A-Za-z0-9._/-]*) die "the directory may hold only letters, digits and ._-/, not '$1'" ;;
  esac
  [ "${#1}" -le 60 ] || die "the directory's path is too long for a socket address: $1"
  echo "$1/$engine"
}

# as_root COMMAND...: runs it as root, which is what we are or what sudo makes us without asking.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

can_be_root() { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }

# in_background COMMAND...: runs it in a session of its own and with every signal at its default (a
# background job, and whatever ran us, may ignore some). Call it with & only.
in_background() { setsid env --default-signal "$@"; }

# runs PID NAME: is the process there, and still the one we mean? (A pid may be another's by now.)
runs() {
  awk -v name="$2" '$1 == "Name:" { named = $2 == name } $1 == "State:" { dead = $2 == "Z" }
    END { exit !(named && !dead) }' "/proc/$1/status" 2>/dev/null
}

# alive PIDFILE NAME: does the file name a live process of that name?
alive() { [ -s "$1" ] && runs "$(cat "$1")" "$2"; }

# When a process started: with its pid, what it is forever.
birth() { awk '{ sub(/.*\) /, ""); print $20 }' "/proc/$1/stat" 2>/dev/null; }

# Prints a process and everything below it as PID:BIRTH.
process_tree() {
  echo "$1:$(birth "$1")"
  for child in $(pgrep -P "$1"); do process_tree "$child"; done
}

send() { kill "$@" 2>/dev/null || as_root kill "$@" 2>/dev/null || true; }

# stop_process PIDFILE NAME SECONDS: asks it to end, waits, then ends what is left of its tree.
stop_process() {
  alive "$1" "$2" || return 0
  main_pid=$(cat "$1")
  family=$(process_tree "$main_pid")
  send "$main_pid"
  tries=$(($3 * 20))
  while runs "$main_pid" "$2" && [ "$tries" -gt 0 ]; do
    tries=$((tries - 1))
    sleep 0.05
  done
  for member in $family; do
    [ "$(birth "${member%%:*}")" != "${member#*:}" ] || send -KILL "${member%%:*}"
  done
}

# make_tree_tarball NAME PACKAGES: prints the path of a tarball with a minimal Debian tree that has
# these packages (comma separated). Built once, then kept in the cache.
make_tree_tarball() {
  tarball=$cache/$1.tar
  if [ ! -s "$tarball" ]; then
    need_program debootstrap
    mkdir -p "$cache"
    tree=$(mktemp -d "$cache/tree.XXXXXX")
    say "building the $1 tree with debootstrap (once; about a minute)"
    if ! as_root debootstrap --variant=minbase --include="$2" bookworm "$tree/root" >"$tree/log" 2>&1; then
      tail -n 15 "$tree/log" >&2
      as_root rm -rf "$tree"
      die "debootstrap failed; its last lines are above"
    fi
    as_root tar -C "$tree/root" --one-file-system --exclude './var/cache/apt/*' \
      --exclude './var/lib/apt/lists/*' --exclude './usr/share/doc/*' --exclude './usr/share/man/*' \
      --exclude './usr/share/info/*' --exclude './usr/share/locale/*' --exclude './var/log/*' \
      -c . >"$tarball.part.$$"
    mv "$tarball.part.$$" "$tarball"
    as_root rm -rf "$tree"
  fi
  echo "$tarball"
}
