"""Runs a command on a terminal of its own: terminal.py ROWS COLUMNS COMMAND...

What comes on our stdin is typed, what the command shows goes to our stdout. A line "ROWS COLUMNS" on
descriptor 3 resizes it. We end as the command does.
"""

import fcntl
import os
import pty
import selectors
import signal
import struct
import sys
import termios


def resize(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def write_all(descriptor, data):
    while data:
        data = data[os.write(descriptor, data):]


def main():
    rows, columns, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    pid, terminal = pty.fork()
    if pid == 0:
        resize(0, rows, columns)
        os.execvp(command[0], command)
    waiting = selectors.DefaultSelector()
    for descriptor in (0, 3, terminal):
        waiting.register(descriptor, selectors.EVENT_READ)
    shown = True
    while shown:
        for key, _ in waiting.select():
            try:
                data = os.read(key.fd, 65536)
            except OSError:  # the terminal's last user closed it
                data = b""
            if key.fd == terminal:
                shown = bool(data)
                write_all(1, data)
            elif not data:
                waiting.unregister(key.fd)
            elif key.fd == 0:
                write_all(terminal, data)
            else:
                for line in data.decode().splitlines():
                    resize(terminal, *map(int, line.split()))
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    sys.exit(os.WEXITSTATUS(status))


main()
