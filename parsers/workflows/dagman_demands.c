#include "parsers/workflows/dagman.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/roles.h"

enum { NUMBER_MOST = 40 };

void br_dagman_set(struct br_dagman_description *description, const char *key, const char *value)
{
    const struct {
        const char *name;
        const char **to;
    } keys[] = {{"request_cpus", &description->cpus},
                {"request_memory", &description->mem},
                {"request_gpus", &description->gpus},
                {"concurrency_limits", &description->limits}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (strcasecmp(key, keys[k].name) == 0)
            *keys[k].to = value;
}

/* A number, perhaps with K, M, G or T if there is a suffix for numbers without. */
static enum br_status dagman_add_number(struct br_dag *dag, uint32_t stage, const char *resource,
                                        const char *text, const char *suffix, uint32_t *expressions,
                                        struct br_diag *diag)
{
    char number[NUMBER_MOST + 8];
    size_t digits = 0;
    while (digits < NUMBER_MOST && text[digits] && strchr("0123456789.", text[digits]))
        digits++;
    const char *unit = text + digits;
    static const char units[] = "KMGT";
    unit += strspn(unit, " \t");
    const char *letter = *unit ? strchr(units, *unit & ~0x20) : NULL;
    if (letter)
        unit += 1 + ((unit[1] & ~0x20) == 'B');
    if (digits == 0 || digits == NUMBER_MOST || *unit || (letter && !suffix)) {
        ++*expressions;
        return BR_OK;
    }
    snprintf(number, sizeof number, "%.*s", (int)digits, text);
    if (letter)
        snprintf(number + digits, sizeof number - digits, "%ciB", *letter);
    else if (suffix)
        snprintf(number + digits, sizeof number - digits, "%s", suffix);
    return br_dag_add_demand(dag, stage, resource, number, diag);
}

/* "net:3, licence": amounts of what the pool limits, counted as resources. */
static enum br_status add_concurrency_limits(struct br_dag *dag, uint32_t stage, const char *limits,
                                             uint32_t *expressions, struct br_diag *diag)
{
    char *copy = strdup(limits), *rest = copy;
    enum br_status status = copy ? BR_OK : br_fail_memory(diag);
    for (char *item; !status && (item = strsep(&rest, ", \t"));) {
        char *amount = strchr(item, ':');
        if (!*item)
            continue;
        if (amount)
            *amount++ = 0;
        if (br_role_of(item) != BR_ROLE_NONE)
            continue;
        status = amount ? dagman_add_number(dag, stage, item, amount, NULL, expressions, diag)
                        : br_dag_add_demand(dag, stage, item, "1", diag);
    }
    free(copy);
    return status;
}

enum br_status br_dagman_demand(struct br_dag *dag, uint32_t stage,
                                const struct br_dagman_description *description,
                                uint32_t *expressions, struct br_diag *diag)
{
    const char *cpu = br_role_name(BR_ROLE_CPU);
    enum br_status status =
        description->cpus
            ? dagman_add_number(dag, stage, cpu, description->cpus, NULL, expressions, diag)
            : br_dag_add_demand(dag, stage, cpu, "1", diag);
    if (!status && description->mem)
        status = dagman_add_number(dag, stage, br_role_name(BR_ROLE_MEMORY), description->mem,
                                   "MiB", expressions, diag);
    if (!status && description->gpus)
        status = dagman_add_number(dag, stage, "gpu", description->gpus, NULL, expressions, diag);
    return !status && description->limits
               ? add_concurrency_limits(dag, stage, description->limits, expressions, diag)
               : status;
}
