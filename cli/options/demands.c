#include "cli/options/demands.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/jobs/native.h"
#include "planner/model/cluster/cluster.h"

/* Without the blanks around it. */
static char *demands_trim(char *text)
{
    static const char blanks[] = " \t\n";
    text += strspn(text, blanks);
    size_t size = strlen(text);
    while (size && strchr(blanks, text[size - 1]))
        size--;
    text[size] = '\0';
    return text;
}

static enum br_status check_amounts(const char *text, struct br_diag *diag)
{
    struct br_cluster *amounts;
    enum br_status status = br_parse_capacity(1, text, &amounts, diag);
    br_cluster_destroy(amounts);
    br_diag_file(diag, status ? "--demand" : NULL);
    return status == BR_BAD_INPUT ? BR_USAGE : status;
}

static enum br_status take_part(struct cli_demands *demands, char *part, uint32_t *room,
                                struct br_diag *diag)
{
    char *colon = strrchr(part, ':');
    if (!colon && demands->usual)
        return br_fail(diag, BR_USAGE,
                       "write --demand 'cpu=1; PATTERN: mem=4GiB', the pattern before a colon",
                       "--demand gives the demand of every command twice: '%.80s' and '%.80s'",
                       demands->usual, demands_trim(part));
    if (!colon) {
        demands->usual = demands_trim(part);
        return check_amounts(demands->usual, diag);
    }
    *colon = '\0';
    if (!br_grow(&demands->of, demands->count, room, sizeof *demands->of))
        return br_fail_memory(diag);
    demands->of[demands->count] =
        (struct cli_demand_of){demands_trim(part), demands_trim(colon + 1)};
    return check_amounts(demands->of[demands->count++].amounts, diag);
}

enum br_status cli_demands_read(const char *text, struct cli_demands *demands, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    uint32_t room = 0;
    *demands = (struct cli_demands){0};
    if (!text)
        return BR_OK;
    demands->text = strdup(text);
    if (!demands->text)
        return br_fail_memory(diag);
    for (char *part = demands->text, *end; part && !status; part = end) {
        end = strchr(part, ';');
        if (end)
            *end++ = '\0';
        if (*demands_trim(part) || !end) /* reports that an empty text has no amounts */
            status = take_part(demands, part, &room, diag);
    }
    return status;
}

void cli_demands_finish(struct cli_demands *demands)
{
    free(demands->of);
    free(demands->text);
    *demands = (struct cli_demands){0};
}

const char *cli_demands_of(const struct cli_demands *demands, const char *name)
{
    for (uint32_t k = demands->count; k-- > 0;)
        if (fnmatch(demands->of[k].pattern, name, 0) == 0)
            return demands->of[k].amounts;
    return NULL;
}
