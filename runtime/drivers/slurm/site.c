/* Settings of Slurm and its site that concern jobs, as scontrol and sinfo report them. A setting
 * that cannot be asked counts as not set. */
#include "runtime/drivers/slurm/site.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/roles.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

struct asking {
    struct br_slurm_site *site;
    struct br_arena *arena;
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    const struct br_run_options *options;
};

static void site_note(const struct asking *by, const char *format, const char *name)
{
    char text[400];
    if (!by->options->note)
        return;
    snprintf(text, sizeof text, format, name);
    by->options->note(by->options->context, text);
}

/* The text between blanks after each KEY at the beginning of a line; at most as long as the
 * input. */
static void site_read(char *text, const char *key, char *list)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        line += strlen(key);
        line += strspn(line, " =");
        size_t n = strcspn(line, " ");
        memcpy(list, line, n);
        list += n;
        *list++ = ' ';
    }
    *list = '\0';
}

/* The text after each KEY in the output of `scontrol show WHAT`; empty if it cannot be asked. */
static char *site_ask(const struct asking *by, const char *what, const char *key)
{
    const char *const argv[] = {"scontrol", "show", what, NULL};
    struct br_diag ignored = {0};
    char *text, *found = br_arena_array(by->arena, 1, 1);
    if (br_slurm_ask(argv, &text, &ignored))
        return found;
    char *list = br_arena_array(by->arena, strlen(text) + 2, 1);
    if (list)
        site_read(text, key, list);
    free(text);
    return list;
}

/* The least memory of a node for each of its processors, in MiB, from lines that have both; 0: not
 * known. */
static int64_t site_read_share(const char *text)
{
    int64_t share = 0;
    for (const char *line = text; line && *line;) {
        int64_t cores, mib;
        if (sscanf(line, "%" SCNd64 " %" SCNd64, &cores, &mib) == 2 && cores > 0 && mib > 0 &&
            (share == 0 || mib / cores < share))
            share = mib / cores;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return share;
}

static int64_t site_ask_share(void)
{
    const char *const argv[] = {"sinfo", "-h", "-N", "-o", "%c %m", NULL};
    struct br_diag ignored = {0};
    char *text;
    if (br_slurm_ask(argv, &text, &ignored))
        return 0;
    int64_t share = site_read_share(text);
    free(text);
    return share;
}

/* If Slurm counts memory and the site sets no default, a job that states none gets all memory of
 * its node, so that no other runs beside it. */
static bool site_ask_memory(const struct asking *by)
{
    char share[64];
    bool lacks = false;
    for (uint32_t s = 0; s < by->dag->stages; s++)
        lacks |= by->site->need[s].kib == 0;
    const char *counted = site_ask(by, "config", "SelectTypeParameters");
    const char *by_node = site_ask(by, "config", "DefMemPerNode");
    const char *by_cpu = site_ask(by, "config", "DefMemPerCPU");
    if (!counted || !by_node || !by_cpu)
        return false;
    if (!lacks || !strcasestr(counted, "_mem") ||
        (strcmp(by_node, "UNLIMITED ") != 0 && strcmp(by_cpu, "UNLIMITED ") != 0))
        return true;
    by->site->share_mib = site_ask_share();
    snprintf(share, sizeof share, "%" PRId64 " MiB", by->site->share_mib);
    site_note(
        by,
        "Slurm gives all memory of a node to jobs that state none, so tasks that demand no memory "
        "ask for a processor's share of it, %s",
        by->site->share_mib ? share : "which is not told");
    return true;
}

bool br_slurm_site_ask(struct br_slurm_site *site, struct br_arena *arena, const struct br_dag *dag,
                       const struct br_cluster *cluster, const struct br_run_options *options)
{
    const struct asking asking = {site, arena, dag, cluster, options}, *by = &asking;
    const char *licenses = site_ask(by, "licenses", "LicenseName=");
    char *priority = site_ask(by, "config", "PriorityType");
    if (!licenses || !priority)
        return false;
    by->site->need = br_slurm_needs(by->arena, dag, by->cluster, licenses);
    for (uint32_t r = 0; r < dag->resources; r++) {
        const char *name = dag->resource[r].name;
        bool demanded = false;
        for (uint32_t d = 0; d < dag->demands; d++)
            demanded |= dag->demand[d].resource == r && dag->demand[d].amount.mantissa > 0;
        if (demanded && !br_role_is_own_name(BR_ROLE_CPU, name) &&
            !br_role_is_own_name(BR_ROLE_MEMORY, name) &&
            !br_cluster_is_generic(by->cluster, name) && !br_slurm_is_listed(licenses, name))
            site_note(by, "Slurm has no licenses '%.80s', so their limit is not kept", name);
    }
    if (*priority && strcmp(priority, "priority/multifactor ") != 0 &&
        strcmp(priority, "priority/basic ") != 0)
        site_note(by,
                  "Slurm goes by %.80s, which may not order jobs by --nice; they are submitted in "
                  "the plan's order",
                  strtok(priority, " "));
    return by->site->need && site_ask_memory(by);
}
