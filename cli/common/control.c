#include "cli/common/control.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers/real.h"

static enum br_status cli_control_read_number(const char *option, const char *text, double *number,
                                              struct br_diag *diag)
{
    struct br_decimal value = {0};
    if (!text)
        return BR_OK;
    if (br_decimal_parse_nearest(text, &value) != BR_DECIMAL_OK)
        return br_fail(diag, BR_USAGE, "give a plain number, such as 1.2",
                       "option '%s': '%.40s' is no number", option, text);
    *number = br_real_of(value);
    return BR_OK;
}

enum br_status cli_control_read(const struct cli_control_settings *options,
                                struct br_control_options *control, struct br_diag *diag)
{
    *control = br_control_options_default();
    const struct {
        const char *option, *text;
        double *number;
    } row[] = {{"--slack", options->slack, &control->slack},
               {"--hysteresis", options->hysteresis, &control->hysteresis},
               {"--dead-zone", options->dead_zone, &control->dead_zone_s},
               {"--period", options->period, &control->period_s},
               {"--on-time", options->on_time, &control->on_time}};
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < sizeof row / sizeof *row && !status; k++)
        status = cli_control_read_number(row[k].option, row[k].text, row[k].number, diag);
    if (options->most)
        control->most = (uint32_t)options->most;
    if (options->planned)
        control->layer = BR_PLANNED_ORDER;
    return status ? status : br_control_check(control, diag);
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
