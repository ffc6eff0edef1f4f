#include "cluster/workload/command/world_options.h"

#include <assert.h>

static const struct br_named levels[] = {
    {"job", "one factor for all tasks of a job"},
    {"stage", "one factor for all tasks of a stage"},
    {"task", "a factor for each task"},
};
const struct br_names cli_error_levels = {BR_NAMES(levels)};

static void read_errors(const char *list, struct br_world *world)
{
    struct br_error *const error[] = {&world->job, &world->stage, &world->task};
    struct br_list_entry entry;
    while (list && br_list_next(BR_LIST_NAME_PAIR, &list, &entry)) {
        uint32_t level = br_named_find_part(&cli_error_levels, entry.name, entry.length);
        assert(level < sizeof error / sizeof *error);
        error[level]->bias = entry.value;
        br_option_take(entry.second, &error[level]->spread);
    }
}

enum br_status cli_world_options(const struct cli_simulate_settings *settings,
                                 struct br_world *world, struct br_diag *diag)
{
    *world = br_world_default();
    world->seed = settings->seed;
    read_errors(settings->errors, world);
    world->slowness = 3;
    world->return_s = 600;
    br_option_take(settings->failures, &world->fail);
    br_option_take(settings->stragglers.first, &world->straggle);
    br_option_take(settings->stragglers.second, &world->slowness);
    br_option_take(settings->leave.first, &world->leave_s);
    br_option_take(settings->leave.second, &world->return_s);
    world->lose_outputs = settings->lose_outputs;
    if (world->lose_outputs && !(world->leave_s > 0))
        return br_fail(diag, BR_USAGE, "add --leave S:R",
                       "--lose-outputs is for machines that leave");
    return br_world_check(world, diag);
}
