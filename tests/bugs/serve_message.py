#!/usr/bin/env python3
"""A message that is too long is refused with a reason, and so is a key; neither is cut and taken."""
import os
import socket

import case

LIMIT = 16384  # of a message; cli/admission/admission.h


def answer(path, message):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
        client.settimeout(20)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        client.connect(path)
        client.send(message)
        return client.recv(65536).decode()


def admit(path, *words):
    done = case.bigrocks('admit', '--socket', path, *words)
    return done.returncode, done.stderr


with case.folder() as folder:
    path = os.path.join(folder, 'socket')
    server = case.start('serve', '--socket', path, '--capacity', 'cpu=1', '--idle', '60')
    try:
        while not os.path.exists(path):
            assert server.poll() is None, server.communicate()
        assert answer(path, b'ask\nkey\ncpu=1' + b' ' * (LIMIT - 13)) == 'go'
        for size in (LIMIT + 1, 200_000):
            said = answer(path, b'ask\nkey\ncpu=1\n'.ljust(size, b'k'))
            assert said == 'no\na message of %d bytes is longer than %d' % (size, LIMIT), said
        assert admit(path, '--key', 'k' * 8192, '--', 'true') == (0, '')
        status, said = admit(path, '--', 'true', '-o', 'k' * 8193)
        assert status == 2 and 'has 8193 bytes, more than 8192; give a shorter one by --key' in said, said
        status, said = admit(path, '--', 'true', '-o', 'a\ncpu=99')
        assert status == 2 and 'more than one line' in said, said
    finally:
        server.terminate()
        server.communicate(timeout=20)
