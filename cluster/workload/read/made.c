/* Generated jobs by name. The generator gives the same job everywhere, so the name is enough. */
#include "cluster/workload/read/made.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers/real.h"
#include "base/text/diag.h"
#include "base/text/options.h"

static const char prefix[] = "generate:";

bool br_is_made_job(const char *name)
{
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

int br_made_name(const struct br_generate_options *options, char *name, size_t size)
{
    char spread[BR_DECIMAL_TEXT] = "", tasks[24] = "", stages[24] = "";
    if (options->tasks)
        snprintf(tasks, sizeof tasks, ",tasks=%" PRIu32, options->tasks);
    if (options->stages)
        snprintf(stages, sizeof stages, ",stages=%" PRIu32, options->stages);
    if (options->spread > 0)
        br_decimal_format(br_real_decimal(options->spread), spread, sizeof spread);
    return snprintf(name, size, "%s%s%s%s%s%s", prefix, options->kind, tasks, stages,
                    *spread ? ",spread=" : "", spread);
}

static bool made_read_count(const char *text, uint64_t most, uint64_t *value)
{
    const char *p = text;
    *value = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (*value > (most - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return p > text && *p == 0;
}

static enum br_status read_option(char *word, struct br_generate_options *options,
                                  struct br_diag *diag)
{
    char *value = strchr(word, '=');
    uint64_t count;
    struct br_decimal spread;
    if (value)
        *value++ = 0;
    if (value && strcmp(word, "spread") == 0 && !br_decimal_parse(value, &spread)) {
        options->spread = br_real_of(spread);
        return BR_OK;
    }
    uint32_t *number = strcmp(word, "tasks") == 0    ? &options->tasks
                       : strcmp(word, "stages") == 0 ? &options->stages
                                                     : NULL;
    if (!value || !number || !made_read_count(value, BR_MAX_TASKS, &count))
        return br_fail(diag, BR_BAD_INPUT, "options are tasks=N, stages=N and spread=S",
                       "'%.40s' is no option of generated jobs", word);
    *number = (uint32_t)count;
    return BR_OK;
}

static enum br_status made_find_kind(const char *kind, const char **name, struct br_diag *diag)
{
    uint32_t row = br_named_find(&br_generate_kinds, kind);
    *name = br_named_name(&br_generate_kinds, row);
    return *name ? BR_OK
                 : br_fail_unnamed(diag, &br_generate_kinds, kind, SIZE_MAX,
                                   "no jobs are generated like '%.60s'", kind);
}

enum br_status br_made_job(const char *name, const char *seed, struct br_dag **dag,
                           struct br_diag *diag)
{
    struct br_generate_options options = br_generate_options_default();
    char words[BR_MADE_NAME], *rest = words;
    *dag = NULL;
    if (snprintf(words, sizeof words, "%s", name + sizeof prefix - 1) >= (int)sizeof words)
        return br_fail(diag, BR_BAD_INPUT, "write generate:KIND,tasks=N,stages=N,spread=S",
                       "the name of a generated job is too long");
    enum br_status status = made_find_kind(strsep(&rest, ","), &options.kind, diag);
    while (!status && rest)
        status = read_option(strsep(&rest, ","), &options, diag);
    if (!status && !made_read_count(seed, UINT64_MAX, &options.seed))
        status = br_fail(diag, BR_BAD_INPUT, "write entry=\"17\"",
                         "the entry '%.40s' of a generated job is not its seed", seed);
    if (!status)
        status = br_generate(&options, dag, diag);
    if (status == BR_USAGE) {
        status = BR_BAD_INPUT; /* of the workload's file */
        if (diag)
            diag->status = status;
    }
    return status;
}
