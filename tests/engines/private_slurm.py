"""A Slurm of a test's own: virtual nodes on this machine, without accounting.

Needs root and Debian's slurmctld, slurmd, slurm-client, slurm-wlm-basic-plugins and munge.
"""
import contextlib
import os
import signal
import socket
import subprocess
import time

PROGRAMS = ('munged', 'slurmctld', 'slurmd', 'sbatch', 'srun', 'squeue', 'scancel', 'salloc')

DEFAULT_MEMORY = 500  # MB a core, of jobs that do not say

CONFIGURATION = '''ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={base}/munge.socket
CredType=cred/munge
SlurmctldPort={port}
SlurmctldPidFile={base}/slurmctld.pid
SlurmdPidFile={base}/slurmd.%n.pid
SlurmdSpoolDir={base}/spool.%n
StateSaveLocation={base}/state
SlurmctldLogFile={base}/slurmctld.log
SlurmdLogFile={base}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/filetxt
JobCompLoc={base}/completed
{accounting}
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
{default}
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,default_queue_depth=1000
PriorityType=priority/{priority}
PriorityWeightPartition=1000
KillWait=1
MinJobAge=60
{licenses}
{nodes}
PartitionName=main Nodes=n[0-{last}] Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
'''


def free_ports(count):
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(('127.0.0.1', 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def kill(pid_file):
    with contextlib.suppress(OSError, ValueError):
        pid = int(pid_file.read_text())
        os.kill(pid, signal.SIGTERM)
        for _ in range(100):
            os.kill(pid, 0)
            time.sleep(0.05)
        os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def slurm(base, count, cpus, memory, priority='multifactor', licenses='', default=DEFAULT_MEMORY,
          accounting='AccountingStorageType=accounting_storage/none', before=None):
    """A controller and daemons of their own for `count` nodes of as many cores and MB, with a key of
    their own, where jobs that do not say have `default` MB a core (None: a node's memory); gone
    in the end. Their files, the log of completed jobs among them, are in `base`. `accounting` are lines of the
    configuration; `before` is called when munged runs and the controller does not yet."""
    ports, host = free_ports(count + 1), socket.gethostname().split('.')[0]
    base.chmod(0o755)
    (base / 'state').mkdir()
    nodes = []
    for k in range(count):
        (base / ('spool.n%d' % k)).mkdir()
        nodes.append('NodeName=n%d NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d RealMemory=%d '
                     'State=UNKNOWN' % (k, host, ports[k], cpus, memory))
    conf = base / 'slurm.conf'
    conf.write_text(CONFIGURATION.format(base=base, host=host, port=ports[-1],
                                         nodes='\n'.join(nodes), last=count - 1,
                                         priority=priority, accounting=accounting,
                                         default='DefMemPerCPU=%d' % default if default else '',
                                         # An empty list would end the controller.
                                         licenses='Licenses=%s' % licenses if licenses else ''))
    # Nothing here uses control groups, and this way slurmd does not look for any: some machines,
    # containers among them, have none mounted.
    version = subprocess.run(['slurmctld', '-V'], text=True, capture_output=True).stdout.split()[-1]
    plugin = 'disabled' if int(version.partition('.')[0]) >= 24 else 'cgroup/v1'
    (base / 'cgroup.conf').write_text('CgroupPlugin=%s\n' % plugin)
    (base / 'key').write_bytes(os.urandom(1024))
    (base / 'key').chmod(0o400)
    os.environ['SLURM_CONF'] = str(conf)

    def start(*command):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        start('munged', '--force', '--key-file=%s/key' % base, '--socket=%s/munge.socket' % base,
              '--pid-file=%s/munged.pid' % base, '--log-file=%s/munged.log' % base,
              '--seed-file=%s/seed' % base)
        if before:
            before()
        start('slurmctld', '-c', '-f', conf)
        for k in range(count):
            start('slurmd', '-c', '-f', conf, '-N', 'n%d' % k)
        for _ in range(300):
            idle = subprocess.run(['sinfo', '-h', '-t', 'idle', '-o', '%D'], text=True,
                                  capture_output=True).stdout.split()
            if sum(map(int, idle)) == count:
                break
            time.sleep(0.1)
        else:
            raise AssertionError('the nodes do not come up: ' +
                                 (base / 'slurmctld.log').read_text()[-2000:])
        yield
    finally:
        subprocess.run(['scancel', '--user=root'], stderr=subprocess.DEVNULL)
        for name in [*('slurmd.n%d' % k for k in range(count)), 'slurmctld', 'munged']:
            kill(base / (name + '.pid'))
