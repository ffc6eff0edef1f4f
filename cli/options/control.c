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

/* A single one, which ends at `length`. */
static enum br_status read_utility(const char *text, size_t length, struct br_utility *utility,
                                   struct br_diag *diag)
{
    char copy[1024];
    if (length >= sizeof copy)
        return br_fail(diag, BR_USAGE, "give up to 16 points SECONDS:VALUE",
                       "option '--utility': '%.60s...' is too long", text);
    memcpy(copy, text, length);
    copy[length] = '\0';
    enum br_status status = br_utility_read(copy, utility, diag);
    if (!status && !(isfinite(br_utility_deadline(utility)) && br_utility_deadline(utility) > 0))
        status = br_fail(diag, BR_USAGE,
                         "let it stay for some time and then fall, such as 0:1,2700:1,3300:-1",
                         "the utility '%.60s' has no deadline", copy);
    return status;
}

enum br_status cli_utilities_read(const char *text, struct br_utility *utility, uint32_t jobs,
                                  struct br_diag *diag)
{
    uint32_t count = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, "/");
        struct br_utility one;
        enum br_status status = read_utility(at, length, &one, diag);
        if (status)
            return status;
        if (count < jobs)
            utility[count] = one;
        count++;
        at += length;
        if (!*at)
            break;
    }
    if (count != 1 && count != jobs)
        return br_fail(diag, BR_USAGE, "give one for all jobs, or one for each",
                       "--utility has %u of them, and there are %u jobs", count, jobs);
    for (uint32_t j = 1; j < jobs && count == 1; j++)
        utility[j] = utility[0];
    return BR_OK;
}
