/* Readers of what the kernel says of processes, and Slurm's programs of jobs and nodes. */
#include <stdlib.h>
#include <string.h>

/* Their readers are not seen from outside. */
#include "runtime/drivers/common/proc.c"
#include "runtime/drivers/slurm/jobs.c"
#include "runtime/drivers/slurm/site.c"

#include "tests/fuzz/fuzz.h"

enum { TASKS = 5 };

/* The stat of a process, and a line of its status. */
void fuzz_proc(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    const char *line = strchr(text, '\n');
    struct br_proc proc;
    if (read_stat(7, text, &proc) && (proc.pid != 7 || !strchr(text, ')')))
        fuzz_fail(NULL, "a process without a name");
    if (lists_number(line ? line + 1 : text, 7) && !strstr(text, "NSpid:"))
        fuzz_fail(NULL, "a number that nobody lists");
    free(text);
}

/* What squeue says; the same text is what scontrol and sinfo say. */
void fuzz_slurm(const uint8_t *data, size_t size)
{
    static struct br_dag *dag;
    uint8_t state[TASKS] = {WAITING, SUBMITTED, DONE, WAITING, WAITING};
    uint64_t id[TASKS] = {0, 9};
    int64_t seen[TASKS] = {0};
    char *text = fuzz_text(data, size), *list = malloc(size + 2);
    if (!list || (!dag && !((dag = br_dag_create("j")) &&
                            br_dag_add_stage(dag, "a", TASKS, 1, NULL, NULL) == BR_OK &&
                            br_dag_finish(dag, NULL) == BR_OK)))
        fuzz_fail(NULL, "the target's own job cannot be made");
    struct jobs jobs = {.job.dag = dag, .state = state, .id = id, .seen = seen, .outstanding = 1};
    strcpy(jobs.work.journal.run, "r");
    jobs.now_ns = 1;
    read_queue(&jobs, text, true);
    uint32_t submitted = 0;
    for (uint32_t t = 0; t < TASKS; t++) {
        submitted += state[t] == SUBMITTED;
        if (t != 1 && state[t] == SUBMITTED && !seen[t])
            fuzz_fail(NULL, "a job is taken up that is not there");
    }
    if (submitted != jobs.outstanding || state[2] != DONE)
        fuzz_fail(NULL, "jobs are counted wrongly");
    memcpy(text, data, size);
    if (site_read_share(text) < 0)
        fuzz_fail(NULL, "memory below nothing");
    site_read(text, "N", list);
    if (strlen(list) > size + 1)
        fuzz_fail(NULL, "more is told than was said");
    free(list);
    free(text);
}
