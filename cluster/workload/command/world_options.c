/* Lists of numbers such as "stage=1.2:0.3,task=1:0.1". */
#include "cluster/workload/command/world_options.h"

#include <string.h>

#include "base/numbers/real.h"

/* A plain number of at least 0 up to one of the characters, or the end. */
static bool world_options_read_number(const char **text, const char *ends, double *number)
{
    return br_real_read(text, ends, number) && *number >= 0;
}

/* "A" or "A:B". */
static bool world_options_read_pair(const char **text, const char *ends, double *first,
                                    double *second)
{
    char all[8] = ":";
    strncat(all, ends, sizeof all - 2);
    if (!world_options_read_number(text, all, first))
        return false;
    if (**text != ':')
        return true;
    ++*text;
    return world_options_read_number(text, ends, second);
}

static bool read_errors(const char *text, struct br_world *world)
{
    const struct {
        const char *name;
        struct br_error *error;
    } level[] = {{"job=", &world->job}, {"stage=", &world->stage}, {"task=", &world->task}};
    while (*text) {
        struct br_error *error = NULL;
        for (uint32_t k = 0; k < sizeof level / sizeof *level && !error; k++)
            if (strncmp(text, level[k].name, strlen(level[k].name)) == 0) {
                error = level[k].error;
                text += strlen(level[k].name);
            }
        if (!error || !world_options_read_pair(&text, ",", &error->bias, &error->spread) ||
            (*text == ',' && !text[1]))
            return false;
        text += *text == ',';
    }
    return true;
}

enum br_status cli_world_options(const struct cli_simulate_settings *settings,
                                 struct br_world *world, struct br_diag *diag)
{
    *world = br_world_default();
    world->seed = settings->seed;
    if (settings->errors && !read_errors(settings->errors, world))
        return br_fail(diag, BR_USAGE, "write --errors stage=1.2:0.3,task=1:0.1, each BIAS:SPREAD",
                       "--errors '%.80s' is no list of levels with numbers", settings->errors);
    world->slowness = 3;
    world->return_s = 600;
    br_option_take(settings->failures, &world->fail);
    br_option_take(settings->stragglers.first, &world->straggle);
    br_option_take(settings->stragglers.second, &world->slowness);
    br_option_take(settings->leave.first, &world->leave_s);
    br_option_take(settings->leave.second, &world->return_s);
    return br_world_check(world, diag);
}
