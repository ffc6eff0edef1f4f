#include "cli/options/control.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum br_status cli_control_read(const struct cli_control_settings *options,
                                struct br_control_options *control, struct br_diag *diag)
{
    *control = br_control_options_default();
    br_option_take(options->slack, &control->slack);
    br_option_take(options->hysteresis, &control->hysteresis);
    br_option_take(options->dead_zone, &control->dead_zone_s);
    br_option_take(options->period, &control->period_s);
    br_option_take(options->on_time, &control->on_time);
    if (options->most)
        control->most = (uint32_t)options->most;
    if (options->planned)
        control->layer = BR_PLANNED_ORDER;
    return br_control_check(control, diag);
}

enum br_status cli_utilities_read(const char *list, struct br_utility *utility, uint32_t jobs,
                                  struct br_diag *diag)
{
    double at_s[BR_UTILITY_POINTS + 1], value[BR_UTILITY_POINTS + 1];
    uint32_t count = 0, points = 0;
    struct br_list_entry entry;
    while (br_list_next(BR_LIST_PAIRS, &list, &entry)) {
        struct br_utility one;
        at_s[points] = entry.value;
        value[points] = entry.second;
        points += points < BR_UTILITY_POINTS + 1;
        if (!entry.last)
            continue;
        enum br_status status = br_utility_make(at_s, value, points, &one, diag);
        if (!status && !(isfinite(br_utility_deadline(&one)) && br_utility_deadline(&one) > 0))
            status = br_fail(diag, BR_USAGE,
                             "let it stay for some time and then fall, such as 0:1,2700:1,3300:-1",
                             "a --utility has no deadline");
        if (status)
            return status;
        if (count < jobs)
            utility[count] = one;
        count++;
        points = 0;
    }
    if (count != 1 && count != jobs)
        return br_fail(diag, BR_USAGE, "give one for all jobs, or one for each",
                       "--utility has %u of them, and there are %u jobs", count, jobs);
    for (uint32_t j = 1; j < jobs && count == 1; j++)
        utility[j] = utility[0];
    return BR_OK;
}
