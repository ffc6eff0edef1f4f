/* Writes what the readers make of a workload's file: `describe_records FILE pool|tasks|nodes
 * user|account|queue|nothing [completed] [cpu]`. For check_records.py, which knows better. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/cluster/workload/workload_text.h"

static int find(const char *word, const char *const *list)
{
    for (int k = 0; list[k]; k++)
        if (strcmp(word, list[k]) == 0)
            return k;
    return 0;
}

int main(int count, char **word)
{
    static const char *const parallel[] = {"pool", "tasks", "nodes", NULL}, *const group[] = {
                                                                                "user", "account",
                                                                                "queue", "nothing",
                                                                                NULL};
    struct br_workload_options options = br_workload_options_default();
    struct br_workload *workload;
    struct br_diag diag = {0};
    char text[1200];
    if (count < 4)
        return 2;
    options.parallel = (enum br_parallel)find(word[2], parallel);
    options.group_by = (enum br_grouping)find(word[3], group);
    for (int k = 4; k < count; k++) {
        options.completed_only |= strcmp(word[k], "completed") == 0;
        options.cpu_only |= strcmp(word[k], "cpu") == 0;
    }
    if (br_parse_workload(word[1], &options, &workload, &diag)) {
        br_diag_format(&diag, text, sizeof text);
        puts(text);
        return 3;
    }
    printf("%s", workload_describe(workload));
    printf("cluster %s\n", workload_cluster(workload));
    br_workload_destroy(workload);
    return 0;
}
