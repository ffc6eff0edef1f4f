/* usage: features_by_oracle FIRST COUNT [TASKS [SHAPE]]
 *        features_by_oracle xml FIRST COUNT [TASKS [SHAPE]]
 *        features_by_oracle JOB.xml [CLUSTER.xml]
 *
 * What is best for random jobs of the seeds from FIRST on, of up to TASKS tasks (default 7), or for
 * the job of a file: a line with the seed (or "job"), the numbers of tasks and machines, the least
 * makespan in seconds ("none": there is no plan, "?": too much to look at), and for every resource
 * that is stored the least peak of orders in which the tasks run one after another.
 *
 * SHAPE: chain, tree, series-parallel, general; else all in turn. "liu": trees of exactly TASKS
 * tasks with memory alone; the peak is that of Liu's algorithm. With "xml" the job follows on
 * the line as XML with its cluster, behind "SEED BYTES". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/emit.h"
#include "parsers/jobs/native.h"
#include "parsers/parsers.h"
#include "planner/eligibility/features.h"
#include "tests/support/feature_oracle.h"
#include "tests/support/random_features.h"

static void print_peaks(const struct br_dag *dag, bool liu)
{
    for (uint32_t r = 0; r < dag->resources; r++) {
        bool stored = false;
        for (uint32_t o = 0; dag->storage && o < dag->storage->outputs; o++)
            stored |= dag->storage->output[o].resource == r;
        if (!stored)
            continue;
        const char *name = dag->resource[r].name;
        const int64_t peak = liu ? feature_oracle_liu(dag, name) : feature_oracle_peak(dag, name);
        if (peak >= 0)
            printf(" %s=%" PRId64, name, peak);
        else
            printf(" %s=?", name);
    }
}

static void print_best(const char *name, const struct br_dag *dag, const struct br_cluster *cluster,
                       bool liu)
{
    printf("%s tasks=%" PRIu32 " machines=%" PRIu32, name, dag->tasks, cluster->machines);
    if (!liu) {
        const int64_t makespan = feature_oracle_makespan(dag, cluster, NULL);
        if (makespan == FEATURE_ORACLE_NONE)
            fputs(" makespan=none", stdout);
        else if (makespan < 0)
            fputs(" makespan=?", stdout);
        else
            printf(" makespan=%s", br_seconds(makespan).text);
    }
    print_peaks(dag, liu);
    putchar('\n');
}

static enum br_status print_xml(uint64_t seed, const struct random_job *job)
{
    const struct br_emit_input input = {.dag = job->dag, .cluster = job->cluster};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const enum br_status status = out ? br_emit_job("xml", &input, out, NULL) : BR_SYSTEM;
    if (!out || fclose(out) || status)
        return BR_SYSTEM;
    printf("%" PRIu64 " %zu\n", seed, size);
    fwrite(text, 1, size, stdout);
    free(text);
    return BR_OK;
}

static bool take_shape(const char *name, struct random_features *wish)
{
    static const char *const shapes[] = {"chain", "tree", "series-parallel", "general"};
    for (int k = 0; k < RANDOM_SHAPES && name; k++)
        if (strcmp(name, shapes[k]) == 0)
            wish->shape = (enum random_shape)k;
    if (!name || strcmp(name, "liu") != 0)
        return false;
    *wish = (struct random_features){.tasks = wish->tasks,
                                     .shape = RANDOM_TREE,
                                     .longest = 9,
                                     .features = BR_FEATURE_OUTPUTS,
                                     .machines = 1,
                                     .alone = true};
    return true;
}

static enum br_status of_seeds(int count, char **argument, bool xml)
{
    if (count < 2)
        return BR_USAGE;
    const uint64_t first = strtoull(argument[0], NULL, 10), jobs = strtoull(argument[1], NULL, 10);
    const uint32_t tasks = count > 2 ? (uint32_t)strtoul(argument[2], NULL, 10) : 7;
    enum br_status status = BR_OK;
    char name[32];
    for (uint64_t seed = first; seed < first + jobs && !status; seed++) {
        struct random_features wish = random_features_of(seed, tasks);
        const bool liu = take_shape(count > 3 ? argument[3] : NULL, &wish);
        struct random_job job;
        if (tasks < 1 || tasks > RANDOM_JOB_TASKS || !random_features_make(seed, &wish, &job))
            return BR_SYSTEM;
        snprintf(name, sizeof name, "%" PRIu64, seed);
        if (xml)
            status = print_xml(seed, &job);
        else
            print_best(name, job.dag, job.cluster, liu);
        random_job_finish(&job);
    }
    return status;
}

static enum br_status of_file(int count, char **argument)
{
    struct br_input input = {0};
    struct br_cluster *cluster = NULL;
    struct br_diag diag = {0};
    enum br_status status = br_parse_job_xml(argument[0], &input, &diag);
    if (!status && count > 1)
        status = br_parse_cluster(argument[1], &cluster, &diag);
    const struct br_cluster *on = cluster ? cluster : input.cluster;
    if (!status && !on)
        status = br_fail(&diag, BR_USAGE, "name its file", "the job has no cluster");
    if (!status)
        print_best("job", input.dag, on, false);
    else
        fprintf(stderr, "features_by_oracle: %s\n", diag.what);
    br_cluster_destroy(cluster);
    br_input_finish(&input);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return BR_USAGE;
    const bool xml = strcmp(argv[1], "xml") == 0;
    const bool seeds = xml || strspn(argv[1], "0123456789") == strlen(argv[1]);
    return seeds ? (int)of_seeds(argc - 1 - xml, argv + 1 + xml, xml)
                 : (int)of_file(argc - 1, argv + 1);
}
