#!/bin/sh
# The first process of a sandbox: puts the directories of the sandbox in the places of this
# machine's, then runs the entrypoint and reaps what others leave. When it ends, all there ends.
#
#   enter.sh BOX WORKDIR COMMAND...
set -eu
box=$1
workdir=$2
shift 2
# By way of /mnt, for the box itself is in one of the places that are about to be covered.
mount --bind "$box" /mnt
for place in root home srv var/tmp tmp; do mount --bind "/mnt/$place" "/$place"; done
umount /mnt
mount -o remount,bind,ro /  # the machine's own files are there to be read
# Groups of processes that were made here would outlive the sandbox.
mount -t tmpfs -o ro none /sys/fs/cgroup
mkdir -p "$workdir"
cd "$workdir"
"$@" &
entrypoint=$!
echo ready >&3
exec 3>&-
wait "$entrypoint"
