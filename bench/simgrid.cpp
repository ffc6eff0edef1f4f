/* A batch of independent tasks in SimGrid: simgrid TASKS MACHINES CORES. Each task holds one core
 * of a machine for 1 to 100 s; an actor for every core takes the next task when its last has ended,
 * as first come first served does. Prints the tasks, the processor time a task, and the time that
 * the last one ends. Built and run by bench/simulators where SimGrid is installed. */
#include <simgrid/s4u.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

static double cpu_now()
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int main(int count, char **argument)
{
    sg4::Engine engine(&count, argument);
    if (count < 4) {
        std::fprintf(stderr, "simgrid TASKS MACHINES CORES\n");
        return 2;
    }
    long tasks = std::atol(argument[1]), machines = std::atol(argument[2]);
    int cores = std::atoi(argument[3]);
    auto *zone = sg4::create_full_zone("zone");
    std::vector<sg4::Host *> host;
    for (long m = 0; m < machines; m++)
        host.push_back(zone->create_host("m" + std::to_string(m), 1.0)->set_core_count(cores));
    zone->seal();
    double began = cpu_now();
    long next = 0;
    uint64_t draw = 1;
    auto work = [&] {
        while (next < tasks) {
            next++;
            draw = draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            sg4::this_actor::execute(1.0 + static_cast<double>((draw >> 33) % 100));
        }
    };
    for (long k = 0; k < machines * cores; k++)
        sg4::Actor::create("core", host[static_cast<size_t>(k % machines)], work);
    engine.run();
    double took = cpu_now() - began;
    std::printf("simgrid %ld tasks %.1f ns a task, end %.0f s\n", tasks,
                took / static_cast<double>(tasks) * 1e9, sg4::Engine::get_clock());
    return 0;
}
