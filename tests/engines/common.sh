# Helpers shared by the engine scripts; sourced, never run. An engine script sets `engine` to its
# name first. Exit status 77 means: this machine cannot run the engine, and the line printed says why.
# shellcheck shell=sh

repository=$(cd "$(dirname "$0")/../.." && pwd)
cache=${TALARIA_ENGINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/talaria/engines}

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

# end_trees PID...: ends these processes and everything below them, at once.
end_trees() {
  for root_pid in "$@"; do
    for member in $(process_tree "$root_pid"); do send -KILL "${member%%:*}"; done
  done
}

# unmount_below DIR: takes away every mount below it.
unmount_below() {
  awk -v under="$1/" 'index($2, under) == 1 { print $2 }' /proc/mounts | sort -r |
    while read -r mount; do as_root umount -l "$mount" || true; done
}

# --- what is made once and kept -------------------------------------------------------------------

# cached NAME COMMAND...: prints the path of NAME in the cache. When it is not there yet, runs
# `COMMAND... PART`, which makes it at the path PART, and moves it into place; whoever asks for it
# meanwhile waits.
cached() {
  made=$cache/$1
  shift
  if [ ! -e "$made" ]; then
    need_program flock
    mkdir -p "$cache"
    (
      flock 9
      [ ! -e "$made" ] || exit 0
      as_root rm -rf "$made".part.*  # of one that was killed: the lock is ours
      status=0
      ("$@" "$made.part.$$") >&2 9>&- || status=$?
      [ "$status" -ne 0 ] || mv -T "$made.part.$$" "$made" || status=1
      as_root rm -rf "$made".part.*
      exit "$status"
    ) 9>"$made.lock"
  fi
  echo "$made"
}

# bootstrap SUITE PACKAGES DIR: a minimal Debian tree that has these packages (comma separated).
bootstrap() {
  need_program debootstrap
  say "building a Debian tree ($1) with debootstrap (once; about a minute)"
  mkdir -p "$3"
  if ! as_root debootstrap --variant=minbase --include="$2" "$1" "$3" >"$3.log" 2>&1; then
    tail -n 15 "$3.log" >&2
    rm -f "$3.log"
    die "debootstrap failed; its last lines are above"
  fi
  rm -f "$3.log"
  as_root rm -rf "$3"/var/cache/apt/* "$3"/var/lib/apt/lists/* "$3"/var/log/* "$3"/usr/share/doc/* \
    "$3"/usr/share/man/* "$3"/usr/share/info/* "$3"/usr/share/locale/*
}

pack_test_tree() {
  bootstrap bookworm python3,ca-certificates,procps "$1.tree" || exit
  as_root tar -C "$1.tree" --one-file-system -c . >"$1" || exit
  as_root rm -rf "$1.tree"
}

pack_poor_tree() {
  need_program busybox
  tree=$1.tree
  mkdir -p "$tree/bin" "$tree/etc" "$tree/root" "$tree/tmp" "$tree/var/tmp" "$tree/run"
  chmod 1777 "$tree/tmp" "$tree/var/tmp"
  cp "$(command -v busybox)" "$tree/bin/busybox"
  for applet in $("$tree/bin/busybox" --list); do
    [ "$applet" = busybox ] || ln -s busybox "$tree/bin/$applet"
  done
  echo 'root:x:0:0:root:/root:/bin/sh' >"$tree/etc/passwd"
  echo 'root:x:0:' >"$tree/etc/group"
  tar -C "$tree" --owner 0 --group 0 -c . >"$1" || exit
  rm -rf "$tree"
}

# The trees every container engine runs, as tarballs: Debian with bash and python3, and busybox with
# no bash at all. And the PATH that an image made of them needs.
test_tarball() { cached talaria-test-2.tar pack_test_tree; }
test_path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
poor_tarball() { cached talaria-poor.tar pack_poor_tree; }
poor_path=/bin
