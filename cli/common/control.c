#include "cli/common/control.h"

#include "base/numbers/real.h"

static enum br_status read_number(const char *option, const char *text, double *number,
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
        status = read_number(row[k].option, row[k].text, row[k].number, diag);
    if (options->most)
        control->most = (uint32_t)options->most;
    if (options->planned)
        control->layer = BR_PLANNED_ORDER;
    return status ? status : br_control_check(control, diag);
}
