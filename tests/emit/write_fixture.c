/* usage: write_fixture (plan|job) FORMAT (small|nasty|STAGES TASKS MACHINES LANES)
 * Writes a fixture to standard output, for tests that look at outputs from outside. */
#include "tests/emit/plan_fixture.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 4 && argc != 7)
        return BR_USAGE;
    struct fixture fixture = argc == 7
                                 ? fixture_layers((uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]),
                                                  (uint32_t)atoi(argv[5]), (uint32_t)atoi(argv[6]))
                             : strcmp(argv[3], "nasty") == 0 ? fixture_nasty()
                                                             : fixture_small();
    struct br_emit_input input = fixture_input(&fixture);
    enum br_status status = strcmp(argv[1], "job") == 0
                                ? br_emit_job(argv[2], &input, stdout, NULL)
                                : br_emit_plan(argv[2], &input, stdout, NULL);
    fixture_finish(&fixture);
    return status;
}
