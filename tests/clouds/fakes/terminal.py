"""Runs a command on a terminal of its own: terminal.py ROWS COLUMNS COMMAND...

What comes on our stdin is typed, what the command shows goes to our stdout. A line "ROWS COLUMNS"
on descriptor 3 resizes it. We end as the command does.
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


def write_some(terminal, data):
    try:
        return data[os.write(terminal, data):]
    except OSError:  # full again, or its last user is gone
        return data


def main():
    rows, columns, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    pid, terminal = pty.fork()
    if pid == 0:
        resize(0, rows, columns)
        os.execvp(command[0], command)
    os.set_blocking(terminal, False)
    waiting = selectors.DefaultSelector()
    for descriptor in (0, 3, terminal):
        waiting.register(descriptor, selectors.EVENT_READ)
    typed = b""  # and not taken yet: then there is nothing to be read from whoever types
    shown = True
    ended = False  # the typing
    while shown:
        for key, events in waiting.select():
            if events & selectors.EVENT_WRITE and typed:
                typed = write_some(terminal, typed)
            if not events & selectors.EVENT_READ:
                continue
            try:
                data = os.read(key.fd, 65536)
            except BlockingIOError:
                continue
            except OSError:  # the terminal's last user closed it
                data = b""
            if key.fd == terminal:
                shown = bool(data)
                write_all(1, data)
            elif not data:
                waiting.unregister(key.fd)
                ended = ended or key.fd == 0
            elif key.fd == 0:
                typed = data
                waiting.unregister(0)
            else:
                for line in data.decode().splitlines():
                    resize(terminal, *map(int, line.split()))
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if typed else 0)
        waiting.modify(terminal, wanted)
        if not typed and 0 not in waiting.get_map() and not ended:
            waiting.register(0, selectors.EVENT_READ)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        if os.WTERMSIG(status) != signal.SIGKILL:
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    sys.exit(os.WEXITSTATUS(status))


main()
