"""`python -m multifold` is the command line tool, where it is installed: beside this Python, or on PATH."""

import os
import shutil
import sys


def main() -> int:
    beside = os.path.dirname(sys.executable)
    tool = shutil.which("multifold", path=os.pathsep.join([beside, os.environ.get("PATH", os.defpath)]))
    if tool is None:
        print(
            "multifold: the command line tool is not installed, beside this Python or on PATH. It is no part of the "
            "Python package: ./dev package makes a Debian package and an archive of it",
            file=sys.stderr,
        )
        return 4
    os.execv(tool, [tool, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
