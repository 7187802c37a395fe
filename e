/tmp/try.sh: line 2: exec: echo out; echo err >&2: not found
