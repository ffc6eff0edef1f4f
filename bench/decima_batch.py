"""A batch of independent tasks in the simulator of Decima's authors [Mao19]: decima_batch.py TASKS
EXECUTORS. Run in its folder, with numpy and networkx; bench/simulators does. Jobs of 1,000 tasks
each wait for nothing and hold one executor for 1 to 100 s; jobs go first come, first served. What
an executor takes to move or to warm up is set to 0. Prints what bench/simgrid.cpp prints."""

import sys
import time

tasks, executors = int(sys.argv[1]), int(sys.argv[2])
sys.argv = ["decima", "--exec_cap", str(executors), "--moving_delay", "0", "--warmup_delay", "0"]
sys.path.insert(0, ".")

import numpy as np  # noqa: E402
import spark_env.env as env  # noqa: E402
from spark_agent import SparkAgent  # noqa: E402
from spark_env.job_dag import JobDAG  # noqa: E402
from spark_env.node import Node  # noqa: E402
from spark_env.task import Task  # noqa: E402
from utils import OrderedSet  # noqa: E402


def make_jobs(random, timeline, wall_time):
    jobs = OrderedSet()
    for number in range(0, tasks, 1000):
        lasts = list(range(1000, 101000, 1000))
        points = {e: lasts for e in env.args.executor_data_point}
        waves = {"first_wave": points, "rest_wave": points, "fresh_durations": points}
        of_node = [Task(i, 50500, wall_time) for i in range(min(1000, tasks - number))]
        job = JobDAG([Node(0, of_node, waves, wall_time, random)], np.zeros((1, 1)), str(number))
        job.start_time = 0
        job.arrived = True
        jobs.add(job)
    return jobs


env.generate_jobs = make_jobs
world = env.Environment()
world.seed(1)
world.reset()
agent = SparkAgent(exec_cap=executors)
began = time.process_time()
seen, done = world.observe(), False
while not done:
    node, count = agent.get_action(seen)
    seen, _, done = world.step(node, count)
took = time.process_time() - began
print(f"decima {tasks} tasks {took / tasks * 1e9:.1f} ns a task, end {world.wall_time.curr_time / 1000:.0f} s")
