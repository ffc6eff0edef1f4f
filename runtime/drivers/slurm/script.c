/* The script of a task's batch job. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/shell.h"
#include "planner/model/dag.h"
#include "runtime/drivers/slurm/slurm.h"

int br_slurm_write_script(struct br_work *work, struct br_job_work *job, uint32_t task,
                          const char *script, const char *result)
{
    char here[4096];
    uint32_t stage = br_dag_task_stage(job->dag, task);
    uint32_t index = task - job->dag->stage[stage].first_task + job->dag->stage[stage].first_index;
    if (!getcwd(here, sizeof here))
        return errno;
    if (!br_work_words(work, job, task))
        return ENOMEM;
    size_t size = strlen(job->dag->stage[stage].id) + 16;
    char *id = malloc(size);
    if (!id)
        return ENOMEM;
    FILE *out = fopen(script, "we");
    if (!out) {
        int error = errno;
        free(id);
        return error;
    }
    br_dag_task_id(job->dag, task, id, size);
    fputs("#!/bin/sh\nBIGROCKS_TASK=", out);
    br_shell_write(out, id);
    free(id);
    fprintf(out,
            "\nBIGROCKS_INDEX=%" PRIu32 "\nBIGROCKS_RUN=%s\nBIGROCKS_MACHINE=$SLURMD_NODENAME\n",
            index, work->journal.run);
    if (job->dag->stage[stage].chosen) {
        fputs("BIGROCKS_ALTERNATIVE=", out);
        br_shell_write(out, job->dag->stage[stage].chosen);
        fputs("\nexport BIGROCKS_ALTERNATIVE\n", out);
    }
    fputs(
        "export BIGROCKS_TASK BIGROCKS_INDEX BIGROCKS_RUN BIGROCKS_MACHINE\nbegin=$(date +%s.%N)\n",
        out);
    fputs("cd ", out);
    br_shell_write(out, here);
    if (work->options->directory) {
        fputs(" && cd ", out);
        br_shell_write(out, work->options->directory);
    }
    fprintf(out,
            " || exit 1\nattempt=0\nstatus=1\nwhile [ $status -ne 0 ] && [ $attempt -le %" PRIu32
            " ]; do\n  attempt=$((attempt + 1))\n ",
            work->options->retries);
    if (work->options->timeout_ns)
        fprintf(out, " timeout -k 5 %.3f", (double)work->options->timeout_ns / 1e9);
    for (char **word = work->words.word; *word; word++) {
        putc(' ', out);
        br_shell_write(out, *word);
    }
    fputs(" </dev/null\n  status=$?\ndone\n", out);
    fputs("echo \"$status $begin $(date +%s.%N) $attempt $SLURMD_NODENAME\" > ", out);
    br_shell_write(out, result);
    fputs(".new && mv ", out);
    br_shell_write(out, result);
    fputs(".new ", out);
    br_shell_write(out, result);
    fputs("\nexit $status\n", out);
    int error = ferror(out) ? EIO : 0;
    return fclose(out) ? errno : error;
}
