#!/usr/bin/env python3
"""A server removes no name but that of its own socket, and of several at one path one serves.

Called with the program and slow_unlink, a library that holds a server up before it removes a name.
"""
import fcntl
import os
import pathlib
import signal
import socket
import sys
import time

import case

SLOW = dict(case.ENVIRONMENT, LD_PRELOAD=str(pathlib.Path(sys.argv[2]).resolve()))


def serve(path, **options):
    return case.start('serve', '--socket', path, '--capacity', 'cpu=1', '--idle', '60', **options)


def wait_for(condition, what):
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError(what)


def answers(path):
    return case.bigrocks('admit', '--socket', path, '--', 'true').returncode == 0


def end(server):
    server.terminate()
    return server.communicate(timeout=20)[1]


def replaced(folder):
    """The name was removed, and another server is there now: it stays reachable."""
    path = folder / 'socket'
    first = serve(path)
    wait_for(path.exists, 'the first is not there')
    path.unlink()
    second = serve(path)
    wait_for(path.exists, 'the second is not there')
    end(first)
    assert path.exists() and answers(path), 'the first removed the name of the second'
    end(second)
    assert not path.exists()


def stale(folder):
    """Two find what a server left that died; one is slow between looking and removing."""
    path = folder / 'socket'
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as left:
        left.bind(str(path))
        left.listen(1)
    slow = serve(path, env=SLOW)
    time.sleep(0.15)
    quick = serve(path)
    wait_for(lambda: slow.poll() is not None or quick.poll() is not None, 'both serve one path')
    loser, winner = (slow, quick) if slow.poll() is not None else (quick, slow)
    assert 'a server cannot be here' in loser.communicate(timeout=20)[1]
    assert winner.poll() is None and answers(path)
    end(winner)
    assert not path.exists()


def between(folder):
    """One that ends is slow; the name is another's before it is removed."""
    path = folder / 'socket'
    slow = serve(path, env=SLOW)
    wait_for(path.exists, 'it is not there')
    slow.terminate()
    time.sleep(0.15)
    quick = serve(path)
    slow.communicate(timeout=20)
    wait_for(lambda: quick.poll() is not None or path.exists(), 'neither there nor ended')
    if quick.poll() is None:
        assert answers(path), 'the name of the new one was removed'
        end(quick)
    else:
        quick.communicate()


def killed(folder):
    """A relative path: the guard of a server that is killed removes its socket there, and no other file."""
    alien = pathlib.Path('/' + folder.name + '-socket')
    server = case.start('serve', '--socket', alien.name, '--capacity', 'cpu=1', '--', 'sleep', '60', cwd=folder)
    path = folder / alien.name
    wait_for(path.exists, 'it is not there')
    time.sleep(0.3)
    try:
        alien.write_text('not a socket')
    except OSError:
        pass  # only who may write there can see it
    try:
        server.send_signal(signal.SIGKILL)
        server.communicate(timeout=20)
        wait_for(lambda: not path.exists(), 'the socket of a killed server is left')
        assert not os.access('/', os.W_OK) or alien.exists(), 'a file of another folder was removed'
    finally:
        alien.unlink(missing_ok=True)
    server = case.start('serve', '--socket', 'socket', '--capacity', 'cpu=1', '--', 'sleep', '60', cwd=folder)
    path = folder / 'socket'
    wait_for(path.exists, 'it is not there')
    time.sleep(0.3)
    server.send_signal(signal.SIGKILL)
    server.wait()
    second = serve(path)
    server.communicate(timeout=20)
    time.sleep(1)
    assert second.poll() is not None or answers(path), 'the guard removed the name of another server'
    end(second)


def others(folder):
    """Sockets of other kinds, files, and a folder that somebody keeps locked are left as they are."""
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(socket.AF_UNIX, kind) as alien:
            path = folder / ('alien%d' % kind)
            alien.bind(str(path))
            if kind == socket.SOCK_STREAM:
                alien.listen(1)
            number = path.stat().st_ino
            done = case.bigrocks('serve', '--socket', path, '--idle', '1')
            assert done.returncode == 5 and 'a server cannot be here' in done.stderr, done
            assert path.stat().st_ino == number
    path = folder / 'file'
    path.write_text('text')
    assert case.bigrocks('serve', '--socket', path).returncode == 5 and path.read_text() == 'text'
    lock = os.open(folder, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    done = case.bigrocks('serve', '--socket', folder / 'socket', '--idle', '1')
    os.close(lock)
    assert done.returncode == 5 and 'keeps the folder locked' in done.stderr, done


for walk in (replaced, stale, between, killed, others):
    with case.folder() as scratch:
        walk(pathlib.Path(scratch))
