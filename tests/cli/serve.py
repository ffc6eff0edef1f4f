#!/usr/bin/env python3
"""Commands that start when the server lets them: limits, the plan's order, and deaths of all kinds.

serve.py BIGROCKS EXAMPLES_DIR
"""
import os
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
EXAMPLES = pathlib.Path(sys.argv[2]).resolve()
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith('BIGROCKS_')}
# A command that says when it starts and ends, and takes its time; its first word is what it holds.
BUSY = 'echo "+ $0 $(date +%s%N)" >>log; sleep 0.0$1; echo "- $0 $(date +%s%N)" >>log'


def bigrocks(*words, **options):
    return subprocess.run([str(BIGROCKS), *map(str, words)], text=True, capture_output=True,
                          env=ENVIRONMENT, stdin=subprocess.DEVNULL, timeout=60, **options)


def start(*words, **options):
    return subprocess.Popen([str(BIGROCKS), *map(str, words)], text=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, **options)


class Server:
    """A server of its own for a with block."""

    def __init__(self, folder, *words):
        self.socket = folder / 'socket'
        self.process = start('serve', '--socket', self.socket, *words, cwd=folder)
        limit = time.monotonic() + 20
        while not self.socket.exists() and time.monotonic() < limit:
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.01)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.said = self.process.communicate(timeout=20)

    def admit(self, *words, **options):
        return start('admit', '--socket', self.socket, *words, **options)

    def wait_for_clients(self, count):
        """Until so many are connected, and a moment more, in which what they ask for is read."""
        folder, limit = pathlib.Path('/proc/%d/fd' % self.process.pid), time.monotonic() + 60
        while True:
            sockets = [fd for fd in folder.iterdir() if os.readlink(fd).startswith('socket:')]
            if len(sockets) > count:  # one more is listened on
                break
            assert time.monotonic() < limit, sockets
            time.sleep(0.02)
        time.sleep(0.3)


def most_held(log):
    """The most that was held at an instant."""
    rows = sorted((int(row.split()[2]), row.split()[0] == '+', int(row.split()[1]))
                  for row in log.read_text().splitlines())
    held = most = 0
    for _, begins, amount in rows:
        held += amount if begins else -amount
        most = max(most, held)
    assert held == 0
    return most


def test_limits(folder):
    rng = random.Random(1)
    lines = ['"%s" admit --demand mem=%d,cpu=1 -- sh -c \'%s\' %d %d &' %
             (BIGROCKS, mem, BUSY, mem, rng.randrange(2, 9))
             for mem in (rng.randrange(1, 7) for _ in range(40))]
    done = bigrocks('serve', '--capacity', 'cpu=8,mem=9', '--', 'sh', '-c',
                    '\n'.join(lines) + '\nwait; exit 3', cwd=folder)
    assert done.returncode == 3, done
    assert '40 commands admitted' in done.stderr, done.stderr
    assert 4 <= most_held(folder / 'log') <= 9


def test_folder(folder):
    """Without --socket it is in a folder of the server's own, where the user's such things are; it goes along."""
    own, gone, long = folder / 'own', folder / 'gone', folder / ('x' * 70)
    own.mkdir()
    long.mkdir()
    for variable, base, inside in (('XDG_RUNTIME_DIR', own, 1), ('XDG_RUNTIME_DIR', gone, 0),
                                   ('XDG_RUNTIME_DIR', long, 0), ('XDG_RUNTIME_DIR', '', 0), ('TMPDIR', own, 1),
                                   ('TMPDIR', gone, 0), ('TMPDIR', long, 0), ('TMPDIR', '.', 0)):
        places = {**ENVIRONMENT, 'XDG_RUNTIME_DIR': str(gone), 'TMPDIR': '', variable: str(base)}
        done = subprocess.run([str(BIGROCKS), 'serve', '--capacity', 'cpu=1', '-q', '--', 'sh', '-c',
                               'ls "$1" | grep -c "^bigrocks-......$"; exec "$0" admit -- echo ran', str(BIGROCKS),
                               str(base)], env=places, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=60, cwd=own)
        if base:
            assert done.stdout.split() == [str(inside), 'ran'], (variable, base, done)
        assert done.returncode == 0 and done.stdout.endswith('ran\n'), (variable, base, done)
        assert not list(own.iterdir()) and not list(long.iterdir())


def test_exit_status(folder):
    """With and without a server, the command's own end comes through."""
    for words in ([], ['serve', '--capacity', 'cpu=1', '-q', '--']):
        launcher = words + ([BIGROCKS] if words else []) + ['admit', '--']
        for command, status in (['exit 7', 7], ['exit 0', 0], ['kill -9 $$', 137 if words else -9]):
            done = bigrocks(*launcher, 'sh', '-c', command, cwd=folder)
            assert done.returncode == status, (words, command, done)
        done = bigrocks(*launcher, 'nowhere-to-be-found', cwd=folder)
        assert done.returncode == 127 and 'cannot be started' in done.stderr, done


def test_nested(folder):
    """Children of an admitted command do not wait for what it holds."""
    done = bigrocks('serve', '--capacity', 'cpu=1', '--', BIGROCKS, 'admit', '--', BIGROCKS, 'admit',
                    '--', 'echo', 'in', cwd=folder)
    assert done.returncode == 0 and done.stdout == 'in\n', done


def test_large_and_unknown(folder):
    with Server(folder, '--capacity', 'cpu=2,mem=4GiB') as server:
        assert server.admit('--demand', 'cpu=99,mem=1TiB', '--', 'true').wait(20) == 0
        refused = server.admit('--demand', 'disk=1', '--', 'true')
        assert refused.wait(20) == 3 and "no 'disk' here" in refused.stderr.read()
        nonsense = server.admit('--demand', 'cpu', '--', 'true')
        assert nonsense.wait(20) == 3 and 'not a capacity' in nonsense.stderr.read()
    assert '1 command admitted' in server.said[1], server.said


def test_killed_clients(folder):
    """Clients are killed whenever; what they held comes back, and no sooner than it may."""
    rng = random.Random(2)
    with Server(folder, '--capacity', 'cpu=3') as server:
        clients = [server.admit('--', 'sh', '-c', BUSY, '1', str(rng.randrange(2, 9)), cwd=folder)
                   for _ in range(60)]
        for client in rng.sample(clients, 30):
            time.sleep(rng.random() * 0.03)
            client.kill()
        for client in clients:
            client.wait(60)
        # All is back when everything can be had at once; the last orphans end before that.
        assert server.admit('--demand', 'cpu=3', '--', 'true').wait(30) == 0
    assert most_held(folder / 'log') <= 3
    assert server.process.returncode == 0


def test_killed_server(folder):
    with Server(folder, '--capacity', 'cpu=1') as server:
        running = server.admit('--', 'sh', '-c',
                               'echo on; until [ -e go ]; do sleep 0.02; done; echo still', cwd=folder)
        assert running.stdout.readline() == 'on\n'
        waiting = server.admit('--', 'true')
        server.wait_for_clients(2)
        server.process.kill()
        assert waiting.wait(20) == 5 and 'has gone while' in waiting.stderr.read()
        (folder / 'go').touch()
        assert running.wait(20) == 0 and running.stdout.read() == 'still\n'
        late = server.admit('--', 'true')
        assert late.wait(20) == 5 and 'no server is there' in late.stderr.read()
    # A socket left behind is no obstacle, but a living one is.
    assert server.socket.exists()
    with Server(folder, '--capacity', 'cpu=1') as server:
        limit = time.monotonic() + 20
        while server.admit('--', 'true').wait(20) and time.monotonic() < limit:
            time.sleep(0.02)
        second = bigrocks('serve', '--socket', server.socket)
        assert second.returncode == 5 and 'cannot be here' in second.stderr, second
        assert server.admit('--', 'true').wait(20) == 0


def test_ends(folder):
    """By itself when nobody comes, by a signal, and with its parent; the socket goes along."""
    with Server(folder, '--capacity', 'cpu=1', '--idle', '2') as server:
        assert server.admit('--', 'sleep', '2.5').wait(20) == 0
        assert server.process.wait(20) == 0 and not server.socket.exists()
    for number in (signal.SIGINT, signal.SIGTERM):
        with Server(folder, '--capacity', 'cpu=1') as server:
            assert server.admit('--', 'true').wait(20) == 0
            server.process.send_signal(number)
            assert server.process.wait(20) == 0 and not server.socket.exists()
    parent = subprocess.Popen(['sh', '-c', '"$0" serve -q --socket socket --capacity cpu=1 & sleep 60',
                               BIGROCKS], cwd=folder, env=ENVIRONMENT, start_new_session=True)
    limit = time.monotonic() + 20
    while not (folder / 'socket').exists() and time.monotonic() < limit:
        time.sleep(0.01)
    parent.kill()
    parent.wait()
    while (folder / 'socket').exists() and time.monotonic() < limit:
        time.sleep(0.02)
    assert not (folder / 'socket').exists()
    os.killpg(parent.pid, signal.SIGKILL)  # the sleep is nobody's child now, and holds our output


def test_garbage(folder):
    """Whoever talks nonsense is hung up on; others are served."""
    import socket
    with Server(folder, '--capacity', 'cpu=1') as server:
        for message in (b'', b'ask\n', b'hello', b'end\n1\n2\n3', b'ask\nk\ncpu=1\nmore', b'\0' * 9000,
                        b'go'):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
                client.connect(str(server.socket))
                if message:
                    client.send(message)
        assert server.admit('--', 'true').wait(20) == 0


def test_seen_is_heard(folder):
    """Whoever sees the socket's name can talk at once, also where the path leaves no room for another name."""
    import socket
    name = 'n' * 107
    before = os.getcwd()
    os.chdir(folder)
    for _ in range(20):
        server = start('serve', '--socket', name, '--capacity', 'cpu=1', cwd=folder)
        while not os.path.exists(name):
            assert server.poll() is None, server.communicate()
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.connect(name)
        server.terminate()
        server.communicate(timeout=20)
        assert os.listdir() == []
    os.chdir(before)


def test_plan(folder):
    """Those that wait start in the plan's order, whenever they came."""
    job, plan = folder / 'job.xml', folder / 'plan.json'
    for words in (['import', 'ninja', '-C', EXAMPLES / 'ninja', '-q', '--capacity', 'cpu=1', '-o', job,
                   '--demand', 'cpu=1'],
                  ['plan', job, '-q', '-o', plan]):
        assert bigrocks(*words).returncode == 0
    order = [row.split('\t')[1] for row in
             bigrocks('render', plan, '-f', 'order').stdout.splitlines()[1:]]
    with Server(folder, '--plan', plan) as server:
        first = server.admit('--', 'sh', '-c', 'echo on; until [ -e go ]; do sleep 0.02; done',
                             cwd=folder)
        assert first.stdout.readline() == 'on\n'
        rest = [server.admit('--key', key, '--', 'sh', '-c', 'echo %s >>order; sleep 0.01' % key,
                             cwd=folder) for key in reversed(order)]
        killed = rest.pop(2)
        server.wait_for_clients(1 + len(order))
        said = bigrocks('serve', '--status', '--socket', server.socket).stdout
        assert re.findall(r'  waits +\S+ s  (\S+) for ', said) == order, (said, order)
        killed.kill()
        killed.wait()
        (folder / 'go').touch()
        assert all(client.wait(30) == 0 for client in [first, *rest])
        # A key whose turn has passed is admitted as any other command.
        assert server.admit('--key', order[0], '--', 'true').wait(20) == 0
    left = [key for key in order if key != order[-3]]
    assert (folder / 'order').read_text().split() == left, ((folder / 'order').read_text(), left)


def test_status(folder):
    """Who asks a server hears what runs, and what waits for what; it is no client, and nothing changes by it."""
    long = 'a/long/way/from/here/to/there/and/yet/further/part.o'
    with Server(folder, '--capacity', 'cpu=2,mem=1GiB', '--idle', '600') as server:
        def status():
            done = bigrocks('serve', '--status', '--socket', server.socket)
            assert done.returncode == 0 and not done.stderr, done
            return done.stdout
        assert status() == '0 commands run, 0 wait; cpu 0 of 2, mem 0 B of 1 GiB\n'
        clients = []
        for key, demand in (('first', 'cpu=1,mem=600MiB'), ('big\x1b', 'cpu=1,mem=500MiB'), (long, 'cpu=2')):
            clients.append(server.admit('--key', key, '--demand', demand, '--', 'sh', '-c',
                                        'until [ -e go ]; do sleep 0.02; done', cwd=folder))
            server.wait_for_clients(len(clients))
        rows = status().splitlines()
        assert rows[0] == '1 command runs, 2 wait; cpu 1 of 2, mem 600 MiB of 1 GiB', rows
        assert re.fullmatch(r'  runs  +\d+\.\d s  first: cpu 1, mem 600 MiB', rows[1]), rows
        assert re.fullmatch(r'  waits +\d+\.\d s  big\S+ for mem 500 MiB \(free: 424 MiB\)', rows[2]), rows
        assert re.fullmatch(r'  waits +\d+\.\d s  \u2026\S*/part.o for cpu 2 \(free: 1\)', rows[3]), rows
        assert len(rows) == 4 and '\x1b' not in rows[2] and len(max(rows, key=len)) <= 80, rows
        clients += [server.admit('--demand', 'cpu=2', '--', 'true', cwd=folder) for _ in range(45)]
        server.wait_for_clients(len(clients))
        assert status().endswith('  and 7 more wait\n'), status()
        (folder / 'go').touch()
        assert all(client.wait(30) == 0 for client in clients)
        assert status().startswith('0 commands run, 0 wait; ')
    gone = bigrocks('serve', '--status', '--socket', server.socket)
    assert gone.returncode == 5 and 'no server is there' in gone.stderr, gone
    # Who only asks keeps no idle server up.
    with Server(folder, '--capacity', 'cpu=1', '--idle', '1') as server:
        limit = time.monotonic() + 20
        while bigrocks('serve', '--status', '--socket', server.socket).returncode == 0:
            assert time.monotonic() < limit, 'it stays'
            time.sleep(0.1)
    # By a plan, amounts are in its units.
    (folder / 'unit.xml').write_text(
        '<job xmlns="urn:bigrocks:job:1" name="u"><resource name="mem" unit="MiB"/><stage id="s" duration="1">'
        '<demand resource="mem" amount="400"/></stage></job>')
    assert bigrocks('plan', 'unit.xml', '--capacity', 'mem=1000', '-q', '-o', 'unit.json', cwd=folder).returncode == 0
    with Server(folder, '--plan', 'unit.json') as server:
        client = server.admit('--key', 's', '--', 'sh', '-c', 'until [ -e went ]; do sleep 0.02; done', cwd=folder)
        server.wait_for_clients(1)
        said = bigrocks('serve', '--status', '--socket', server.socket).stdout
        (folder / 'went').touch()
        assert client.wait(30) == 0 and 'mem 400 MiB of 1000 MiB\n' in said and 's: mem 400 MiB\n' in said, said
    # A unit neither steers the terminal nor makes a line of its own, is cut where it is long, and may begin with "@".
    for unit, shown in (('@s\u202e', r'@s\u202e'), ('a&#10;b', r'a\nb'), ('u' * 30, 'u' * 19 + '\u2026')):
        (folder / 'unit.xml').write_text(
            '<job xmlns="urn:bigrocks:job:1" name="u"><resource name="lic" unit="%s"/><stage id="s" duration="1">'
            '<demand resource="lic" amount="4"/></stage></job>' % unit)
        assert bigrocks('plan', 'unit.xml', '--capacity', 'lic=10', '-q', '-o', 'unit.json', cwd=folder).returncode == 0
        with Server(folder, '--plan', 'unit.json') as server:
            said = bigrocks('serve', '--status', '--socket', server.socket).stdout
            assert said == '0 commands run, 0 wait; lic 0 %s of 10 %s\n' % (shown, shown), said
    # Without a name, it is all of one's own, where servers put their sockets.
    own = folder / 'own'
    own.mkdir()
    places = {**ENVIRONMENT, 'XDG_RUNTIME_DIR': str(own), 'TMPDIR': str(own)}
    done = subprocess.run([str(BIGROCKS), 'serve', '--capacity', 'cpu=1', '-q', '--', 'sh', '-c',
                           '"$0" admit -- sh -c "$1"', str(BIGROCKS),
                           'unset BIGROCKS_SOCKET; "%s" serve --status' % BIGROCKS], env=places, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=60, cwd=folder)
    assert done.returncode == 0 and '1 command runs, 0 wait; cpu 1 of 1\n' in done.stdout, done
    refused = bigrocks('serve', '--status', '--', 'true')
    assert refused.returncode == 2 and 'starts no build' in refused.stderr, refused


def test_status_of_strangers(folder):
    """Servers that hang up, are silent, stop in the middle of a line or want to steer the terminal."""
    import socket
    with Server(folder, '--capacity', 'cpu=1,r\u202e=2') as server:
        said = bigrocks('serve', '--status', '--socket', server.socket).stdout
        assert said.startswith('0 commands run, 0 wait; cpu 0 of 1, r') and '\u202e' not in said, said
        # Whoever asks and never reads holds up nobody.
        deaf = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(30)]
        for client in deaf:
            client.connect(str(server.socket))
            client.send(b'status\n')
        for message in b'stat', b'status', b'status\nmore':
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
                client.connect(str(server.socket))
                client.settimeout(20)
                client.send(message)
                assert client.recv(100) == b'', message
        assert server.admit('--', 'true').wait(20) == 0
        for client in deaf:
            client.close()
    for answers, status, part in (([], 5, 'hung up'), (None, 5, 'does not answer'),
                                  ([b'a\x1b[31mb', b'c\nd'], 0, 'bc\nd')):
        path = folder / ('stranger %s' % part[:2])
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(path))
            listener.listen()
            asks = start('serve', '--status', '--socket', path)
            client, _ = listener.accept()
            assert client.recv(100) == b'status\n'
            for answer in answers or []:
                client.send(answer)
            if answers is not None:
                client.close()
            out, err = asks.communicate(timeout=30)
            client.close()
            assert asks.returncode == status and part in out + err and '\x1b' not in out, (out, err)


def test_history(folder):
    """The use of commands is kept by their outputs, and demanded the next time."""
    file = folder / 'history.sqlite'
    hungry = 'python3 -c "x = bytearray(80 << 20); x[::4096] = b\'1\' * len(x[::4096])"'
    script = '"$0" admit -- sh -c \'%s; : -o\' -o big.o; "$0" admit -- sh -c "exit 1" -o bad.o; true'
    words = ['serve', '--capacity', 'cpu=2,mem=1GiB', '--history', file, '--']
    probe = bigrocks('serve', '--history', file, '--capacity', 'cpu=1', '-q', '--', 'true', cwd=folder)
    if 'keeps no histories' in probe.stderr:
        return
    done = bigrocks(*words, 'sh', '-c', script % hungry, BIGROCKS, cwd=folder)
    assert done.returncode == 0, done
    with sqlite3.connect(file) as database:
        rows = database.execute('SELECT name, wall_ns > 0, mem_bytes >> 20 FROM sample JOIN stage ON '
                                'sample.stage = stage.id').fetchall()
    assert len(rows) == 1 and rows[0][:2] == ('big.o', 1) and 80 <= rows[0][2] < 160, rows
    # Two of them do not fit into 150 MiB any more.
    script = 'for k in 1 2 3; do "$0" admit -- sh -c \'%s\' 1 8 -o big.o & done; wait' % BUSY
    words[2] = 'cpu=4,mem=150MiB'
    assert bigrocks(*words, 'sh', '-c', script, BIGROCKS, cwd=folder).returncode == 0
    assert most_held(folder / 'log') == 1


def main():
    for name, test in sorted(globals().items()):
        if name.startswith('test_'):
            with tempfile.TemporaryDirectory(prefix='bigrocks-serve') as folder:
                begin = time.monotonic()
                test(pathlib.Path(folder))
                print('%s: %.1f s' % (name, time.monotonic() - begin))


if __name__ == '__main__':
    main()
