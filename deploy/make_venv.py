"""Makes the virtual environment of the Makefile, and installs this tree into it.

    python deploy/make_venv.py VENV SET PYTHON GOALS

``SET``: ``server`` or ``dev``, the packages that requirements/SET.txt pins; pip checks their hashes.
``PYTHON`` and ``GOALS``: what ``make`` was called with. If ``up`` is a goal, the port of BOTEQUIM_BIND has to
be free. What is missing is said in one line, before anything is installed; if a step fails, an environment
that was made is removed. Any Python from 2.7 on runs this, since it says which ones are too old.
"""

from __future__ import print_function

import os
import re
import shutil
import socket
import subprocess
import sys

LEAST = (3, 11)
MOST_MINOR = 20
BIND = "127.0.0.1:8000"


class Failure(Exception):
    """Why it cannot be done, in one line."""


def main(venv, pinned, python, goals):
    """Do it. Raises :class:`Failure`."""
    inside = os.path.join(venv, "bin", "python")
    is_new = not works(inside)
    if is_new:
        check_version(python, goals)
        check_modules(python, goals)
    check_folders(os.getcwd(), venv)
    if "up" in goals.split():
        check_port(os.environ.get("BOTEQUIM_BIND") or BIND, goals)
    if is_new:
        remove_leftovers(venv)
    print("make: installs into %s, which takes about a minute" % venv)
    sys.stdout.flush()
    try:
        if is_new:
            status, said = run([sys.executable, "-m", "venv", venv])
            if status != 0:
                raise Failure("cannot make %s: %s" % (venv, last_line(said)))
        check_index(inside, goals)
        # Python compiles a module when it is first imported; most of the modules never are.
        pip = [inside, "-m", "pip", "install", "--quiet", "--no-compile"]
        packages = ["--require-hashes", "--requirement", "requirements/%s.txt" % pinned]
        for what in (packages, ["--no-deps", "--editable", "."]):
            if subprocess.call(pip + what) != 0:
                raise Failure("pip could not install this, see above; 'make %s' tries again" % goals)
    except BaseException:
        if is_new:
            shutil.rmtree(venv, ignore_errors=True)
        raise


def works(python):
    """Whether a Python is there, new enough and has pip."""
    code = "import sys, pip; sys.exit(sys.version_info < %r)" % (LEAST,)
    return run([python, "-c", code])[0] == 0


def check_version(python, goals):
    """Raises Failure with the name of one that is new enough, if there is one."""
    if sys.version_info[:2] >= LEAST:
        return
    found = "%d.%d.%d" % tuple(sys.version_info[:3])
    names = ["python%d.%d" % (LEAST[0], minor) for minor in range(LEAST[1], MOST_MINOR)]
    code = "import ensurepip, sys, venv; sys.exit(sys.version_info < %r)" % (LEAST,)
    there = [name for name in names if run([name, "-c", code])[0] == 0]
    advice = "make PYTHON=%s %s" % ((there or names)[0], goals)
    needs = "needs Python %d.%d or newer, and %s is %s: " % (LEAST + (python, found))
    raise Failure(needs + ("" if there else "install one, then ") + advice)


def check_modules(python, goals):
    """Raises Failure if this Python has no ``venv``, which Debian has in a package of its own."""
    try:
        import venv  # noqa: F401
        from ensurepip import bootstrap  # noqa: F401
    except ImportError as error:
        package = "python%d.%d-venv" % tuple(sys.version_info[:2])
        raise Failure(
            "%s cannot make virtual environments (%s): on Debian and Ubuntu apt install %s, "
            "or name another Python, make PYTHON=python3.12 %s" % (python, error, package, goals)
        )


def check_folders(tree, venv):
    """Raises Failure if one of the folders in which something is made cannot be written to."""
    parent = os.path.abspath(venv)
    while not os.path.exists(parent):
        parent = os.path.dirname(parent)
    for folder in (tree, parent):
        if not os.access(folder, os.W_OK | os.X_OK):
            raise Failure("cannot write to %s: copy the sources to a folder of your own" % folder)


def check_port(bind, goals):
    """Raises Failure with a free port if nobody can listen at ``host:port``."""
    host, _, port = bind.rpartition(":")
    if not port.isdigit() or not 0 < int(port) < 2**16:
        raise Failure(
            "BOTEQUIM_BIND=%s is no address to listen at; expected host:port, such as %s" % (bind, BIND)
        )
    name = host.strip("[]") or "0.0.0.0"
    error = why_not(name, int(port))
    if error is None:
        return
    others = range(int(port) + 1, min(int(port) + 100, 2**16))
    free = next((other for other in others if why_not(name, other) is None), None)
    advice = "" if free is None else ", for instance BOTEQUIM_BIND=%s:%d make %s" % (host, free, goals)
    raise Failure("cannot listen at %s (%s): choose another address%s" % (bind, error, advice))


def why_not(host, port):
    """Why nobody can listen there, or None."""
    try:
        found = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM, 0, socket.AI_PASSIVE)
        family, kind, protocol, _, where = found[0]
        probe = socket.socket(family, kind, protocol)
        try:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
        finally:
            probe.close()
    except (OSError, socket.error) as error:
        return error.strerror or str(error)
    return None


def remove_leftovers(venv):
    """Remove what a try that was killed, or an older Python, has left; raises Failure outside this tree."""
    if not os.path.exists(os.path.join(venv, "pyvenv.cfg")):
        return
    if os.path.dirname(os.path.realpath(venv)) != os.path.realpath(os.getcwd()):
        raise Failure(
            "%s has no Python %d.%d with pip: remove it, or name another VENV" % (venv, LEAST[0], LEAST[1])
        )
    shutil.rmtree(venv)


def check_index(python, goals):
    """Raises Failure if pip gets no packages, which it would only say after many tries."""
    pip = [python, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-deps"]
    status, said = run(pip + ["--retries", "1", "--timeout", "15", "setuptools"])
    if status != 0:
        found = re.search(r"\[Errno -?\d+\] [^'\")]+|[^'\"(]* timed out", said)
        raise Failure(
            "pip gets no packages (%s): connect this machine, or name an index that it reaches, "
            "PIP_INDEX_URL=https://... make %s"
            % (found.group(0) if found else last_line(said).replace("ERROR: ", ""), goals)
        )


def run(command):
    """The exit status of a command and what it prints."""
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        return 127, str(error)
    said = process.communicate()[0].decode("utf-8", "replace")
    return process.returncode, said


def last_line(text):
    """The last line that is not empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it says nothing"


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Failure as failure:
        sys.exit("make: %s" % failure)
    except KeyboardInterrupt:
        sys.exit(130)
