/* How long one decision of the control loop takes: 100 allocations, 48 cells, 17 quantiles, over
 * the whole life of a job, on time and late.
 *
 *   control_decisions TABLE [SECONDS OF THE DEADLINE]...
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/deadline/control.h"

enum { ROUNDS = 20, STEPS = 200 };

/* Of this program's processor time, so that others on the machine do not count. */
static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int count, char **argument)
{
    struct br_deadline_table table;
    struct br_diag diag = {0};
    if (count < 3 || br_table_open(argument[1], &table, &diag)) {
        fprintf(stderr, "control_decisions TABLE SECONDS...\n%s\n", diag.what);
        return 2;
    }
    uint32_t *done = calloc(table.stages, sizeof *done);
    for (int k = 2; k < count && done; k++) {
        struct br_control_options options = br_control_options_default();
        struct br_utility utility = br_utility_of_deadline(atof(argument[k]));
        struct br_control control;
        uint64_t tokens = 0;
        if (br_control_init(&control, &table, &options, &utility, &diag))
            return 1;
        int64_t began_ns = now_ns();
        for (uint32_t r = 0; r < ROUNDS; r++)
            for (uint32_t step = 0; step < STEPS; step++) {
                struct br_control_decision decision;
                for (uint32_t s = 0; s < table.stages; s++)
                    done[s] = (uint32_t)((uint64_t)table.tasks[s] * step / STEPS);
                const struct br_control_view view = {
                    (int64_t)(atof(argument[k]) * 1e9 * step / STEPS), done, step > 0};
                br_control_decide(&control, &view, &decision);
                tokens += decision.amount;
            }
        double micros = (double)(now_ns() - began_ns) / 1e3 / (ROUNDS * STEPS);
        printf("deadline %s s: %.2f us a decision, %.1f tokens on average\n", argument[k], micros,
               (double)tokens / (ROUNDS * STEPS));
    }
    free(done);
    br_table_close(&table);
    return 0;
}
