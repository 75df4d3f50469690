"""Runs the binary under test with a terminal for its standard output, standard error, or both. No tests here."""

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import termios

import tool


def run(*arguments, columns=80, both=False, cwd=None, **environment):
    """The exit code, and what came to the terminal: standard error, and with `both` standard output, too. NO_COLOR and its kin are
    as `environment` says."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    clean = {name: value for name, value in tool.environment().items()
             if name not in ("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS")}
    process = subprocess.Popen([tool.BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL, stderr=theirs,
                               stdout=theirs if both else subprocess.DEVNULL, cwd=cwd,
                               env={**clean, "TERM": "xterm", **environment})
    os.close(theirs)
    text = b""
    with contextlib.suppress(OSError):  # which is how the end of a terminal is told
        while more := os.read(ours, 4096):
            text += more
    os.close(ours)
    return process.wait(timeout=60), text.decode(errors="surrogateescape").replace("\r\n", "\n")
