/* bigrocks bound --what-if: how the lower bound moves with the cluster.
 *
 * A change is NAME, then +, - or =, then an amount: of a resource on every machine that has it, or
 * of "machines" in every class; + and - also take percent. An amount may be a range FROM..TO, or
 * FROM..TO/STEP, which stands for that many changes. Changes in a list with commas are tried one by
 * one, each from the given cluster. */
#include "cli/bounds/what_if.h"
#include "base/roles.h"
#include "cli/inputs/load.h"
#include "cli/output/output.h"
#include "cli/terminal/say.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "planner/bounds/bounds.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/features.h"
#include "planner/instance/relax.h"

enum { NAME_MOST = 200, POINTS_MOST = 500, STEPS = 10 };

/* A change as it was written, with the name that it borrows. */
struct written {
    char name[NAME_MOST], amount[NAME_MOST];
    struct cli_change change;
};

/* The points of the curve so far. */
struct curve {
    const struct br_input *input;
    struct br_curve_point *point;
    uint32_t points, room, series;
};

static enum br_status what_if_refuse(struct br_diag *diag, const char *text)
{
    return br_fail(diag, BR_USAGE,
                   "write such as cpu+25%, mem=64GiB, machines+2, or a range, machines=1..8",
                   "'%.200s' is no change of the cluster", text);
}

/* value x 10^digits, for digits within a few. */
static bool what_if_scaled(struct br_decimal value, int32_t digits, int64_t *out)
{
    return br_decimal_scale(value, digits, out);
}

static bool what_if_add(struct br_decimal a, struct br_decimal b, struct br_decimal *sum)
{
    int32_t digits = a.exponent < b.exponent ? -a.exponent : -b.exponent;
    int64_t x, y;
    if (!what_if_scaled(a, digits, &x) || !what_if_scaled(b, digits, &y) ||
        __builtin_add_overflow(x, y, &x))
        return false;
    *sum = br_decimal_unscale(x, digits);
    return true;
}

static bool what_if_multiply(struct br_decimal a, struct br_decimal b, struct br_decimal *product)
{
    int64_t mantissa;
    if (__builtin_mul_overflow(a.mantissa, b.mantissa, &mantissa))
        return false;
    *product = br_decimal_unscale(mantissa, -(a.exponent + b.exponent));
    return true;
}

/* The changed amount; false if it cannot be computed, or is below 0. */
static bool change_amount(const struct cli_change *change, struct br_decimal old,
                          struct br_decimal *changed)
{
    struct br_decimal by = change->amount;
    if (change->sign == '=') {
        *changed = by;
        return true;
    }
    if (change->sign == '-')
        by.mantissa = -by.mantissa;
    if (change->percent) {
        struct br_decimal factor;
        by.exponent -= by.mantissa ? 2 : 0;
        if (!what_if_add(by, (struct br_decimal){1, 0}, &factor) ||
            !what_if_multiply(old, factor, changed))
            return false;
    } else if (!what_if_add(old, by, changed)) {
        return false;
    }
    return changed->mantissa >= 0;
}

/* A changed number of machines, rounded up. */
static bool change_count(const struct cli_change *change, uint32_t old, uint32_t *changed)
{
    struct br_decimal value;
    int64_t count = 0;
    if (!change_amount(change, br_decimal_unscale(old, 0), &value))
        return false;
    for (; value.exponent < 0; value.exponent++)
        value.mantissa = value.mantissa / 10 + (value.mantissa % 10 != 0);
    if (!what_if_scaled(value, 0, &count) || count < 1 || count > BR_MAX_MACHINES)
        return false;
    *changed = (uint32_t)count;
    return true;
}

/* The amount of the resource, changed if the change is one of it. */
static enum br_status changed_text(const struct br_capacity *capacity,
                                   const struct cli_change *change, bool *known,
                                   char text[BR_DECIMAL_TEXT], struct br_diag *diag)
{
    struct br_decimal amount = capacity->amount;
    if (change->resource && strcmp(capacity->resource, change->resource) == 0) {
        *known = true;
        if (!change_amount(change, amount, &amount))
            return br_fail(diag, BR_USAGE, NULL, "so much %.200s there cannot be",
                           change->resource);
    }
    br_decimal_format(amount, text, BR_DECIMAL_TEXT);
    return BR_OK;
}

static enum br_status changed_cluster(const struct br_cluster *old, const struct cli_change *change,
                                      struct br_cluster **cluster, struct br_diag *diag)
{
    bool machines = !change->resource, known = machines;
    char text[BR_DECIMAL_TEXT];
    enum br_status status = BR_OK;
    *cluster = br_cluster_create(old->name);
    if (!*cluster)
        return br_fail_memory(diag);
    for (uint32_t c = 0; c < old->classes && !status; c++) {
        const struct br_class *cls = &old->cls[c];
        uint32_t count = cls->count, number;
        if (machines && !change_count(change, cls->count, &count))
            status = br_fail(diag, BR_USAGE, NULL, "so many machines there cannot be");
        if (!status)
            status = br_cluster_add_class(*cluster, cls->name, count, &number, diag);
        if (!status && cls->up)
            status = br_cluster_set_network(*cluster, number, cls->up, cls->down, diag);
        if (!status)
            status = br_cluster_copy_speed(*cluster, number, cls, diag);
        for (uint32_t k = 0; k < cls->capacities && !status; k++) {
            status = changed_text(&cls->capacity[k], change, &known, text, diag);
            if (!status)
                status = br_cluster_add_capacity(*cluster, number, cls->capacity[k].resource, text,
                                                 diag);
        }
    }
    for (uint32_t k = 0; k < old->shareds && !status; k++) {
        status = changed_text(&old->shared[k], change, &known, text, diag);
        if (!status)
            status = br_cluster_add_shared(*cluster, old->shared[k].resource, text, diag);
    }
    if (!status)
        status = br_cluster_copy_calendar(*cluster, old, diag);
    for (uint32_t k = 0; k < old->fungibles && !status; k++)
        status = br_cluster_set_fungible(*cluster, old->fungible[k], diag);
    if (!status && !known)
        status = br_fail(diag, BR_USAGE, "name a resource of the cluster, or machines",
                         "no machine has '%.200s'", change->resource);
    if (status) {
        br_cluster_destroy(*cluster);
        *cluster = NULL;
    }
    return status;
}

enum br_status cli_point_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                               struct cli_point *point, struct br_diag *diag)
{
    struct br_diag why = {0};
    *point = (struct cli_point){.method = ""};
    enum br_status status = br_bound(dag, cluster, &point->bound_ns, &point->method, &why);
    point->feasible = status == BR_OK;
    if (status && status != BR_BAD_INPUT) {
        *diag = why;
        return status;
    }
    return BR_OK;
}

enum br_status cli_point_try(const struct br_dag *dag, const struct br_cluster *cluster,
                             const struct cli_change *change, struct cli_point *point,
                             struct br_diag *diag)
{
    struct br_cluster *changed;
    enum br_status status = changed_cluster(cluster, change, &changed, diag);
    if (!status)
        status = cli_point_bound(dag, changed, point, diag);
    br_cluster_destroy(changed);
    return status;
}

enum br_status cli_point_try_both(const struct br_dag *dag, const struct br_cluster *cluster,
                                  const struct cli_change change[2], struct cli_point *point,
                                  struct br_diag *diag)
{
    struct br_cluster *changed;
    enum br_status status = changed_cluster(cluster, &change[0], &changed, diag);
    if (!status)
        status = cli_point_try(dag, changed, &change[1], point, diag);
    br_cluster_destroy(changed);
    return status;
}

static enum br_status path_of(const struct br_dag *dag, const struct br_cluster *cluster,
                              int64_t *ns, struct br_diag *diag)
{
    struct br_instance *in;
    enum br_status status = br_instance_create(dag, cluster, &in, diag);
    if (status)
        return status;
    int64_t ticks = br_bounds_critical_path(in).ticks;
    *ns = ticks * in->tick_ns;
    br_instance_destroy(in);
    return ticks < 0 ? br_fail_memory(diag) : BR_OK;
}

/* The critical path, which no cluster shortens. */
static enum br_status critical_path(const struct br_input *input, int64_t *ns, struct br_diag *diag)
{
    struct br_relaxed relaxed;
    if (!br_features(input->dag, input->cluster))
        return path_of(input->dag, input->cluster, ns, diag);
    enum br_status status = br_relax(input->dag, input->cluster, BR_RELAX_MACHINES, &relaxed, diag);
    if (!status)
        status = path_of(relaxed.dag, relaxed.cluster, ns, diag);
    br_relaxed_finish(&relaxed);
    return status;
}

/* Splits "name+amount"; the amount is what follows the sign, which is not yet read. */
static bool what_if_split(const char *text, size_t length, struct written *out)
{
    size_t at = 0;
    *out = (struct written){0};
    for (size_t k = 1; k < length; k++)
        if (strchr("+-=", text[k]) && k + 1 < length &&
            ((text[k + 1] >= '0' && text[k + 1] <= '9') || text[k + 1] == '.'))
            at = k;
    if (at == 0 || at >= NAME_MOST || length - at > NAME_MOST)
        return false;
    memcpy(out->name, text, at);
    out->change.resource = strcmp(out->name, "machines") == 0 ? NULL : out->name;
    out->change.sign = text[at];
    /* "0..100%", "0..100%/25" or "0%..100%": one percent sign is enough. */
    size_t kept = 0;
    for (size_t k = at + 1; k < length; k++) {
        if (text[k] == '%')
            out->change.percent = true;
        else
            out->amount[kept++] = text[k];
    }
    assert(kept < sizeof out->amount);
    return !(out->change.percent && out->change.sign == '=');
}

static bool parse_amount(const char *text, struct br_decimal *value)
{
    return br_decimal_parse_suffixed(text, value) == BR_DECIMAL_OK && value->mantissa >= 0;
}

/* A single change as the user wrote it, in `whole`. */
static enum br_status what_if_read_amount(const struct curve *curve,
                                          const struct cli_change *change, const char *text,
                                          const char *whole, struct br_decimal *value,
                                          struct br_diag *diag)
{
    if (!parse_amount(text, value))
        return what_if_refuse(diag, whole);
    return change->resource ? cli_check_amount(curve->input->dag, change->resource, text, diag)
                            : BR_OK;
}

/* The amount as a user would write it: bytes get a suffix if that is exact, such as "67.2GiB". */
static void what_if_amount_text(const struct br_dag *dag, const struct cli_change *change,
                                char text[BR_ROLE_AMOUNT_TEXT])
{
    const char *unit = change->resource ? cli_unit(dag, change->resource) : NULL;
    struct br_decimal again;
    if (change->resource && !change->percent && br_role_counts_bytes(change->resource, unit)) {
        br_role_bytes_text(br_decimal_ceil(change->amount), text);
        char *blank = strchr(text, ' ');
        if (blank)
            memmove(blank, blank + 1, strlen(blank));
        if (parse_amount(text, &again) && br_decimal_compare(again, change->amount) == 0)
            return;
    }
    br_decimal_format(change->amount, text, BR_ROLE_AMOUNT_TEXT);
}

static enum br_status what_if_add_point(struct curve *curve, const struct cli_change *change,
                                        struct br_diag *diag)
{
    struct cli_point point;
    enum br_status status =
        cli_point_try(curve->input->dag, curve->input->cluster, change, &point, diag);
    if (status)
        return status;
    if (curve->points >= POINTS_MOST)
        return br_fail(diag, BR_USAGE, "take longer steps", "these are more than %d changes",
                       POINTS_MOST);
    if (!br_grow(&curve->point, curve->points, &curve->room, sizeof *curve->point))
        return br_fail_memory(diag);
    struct br_curve_point *out = &curve->point[curve->points++];
    char amount[BR_ROLE_AMOUNT_TEXT];
    what_if_amount_text(curve->input->dag, change, amount);
    *out = (struct br_curve_point){.series = curve->series,
                                   .feasible = point.feasible,
                                   .bound_ns = point.bound_ns,
                                   .method = point.method};
    snprintf(out->label, sizeof out->label, "%.180s%c%.50s%s",
             change->resource ? change->resource : "machines", change->sign, amount,
             change->percent ? "%" : "");
    return BR_OK;
}

/* FROM..TO or FROM..TO/STEP. */
static enum br_status add_range(struct curve *curve, struct written *written, char *dots,
                                const char *whole, struct br_diag *diag)
{
    struct cli_change *change = &written->change;
    struct br_decimal from, to, step = {0};
    char *slash = strchr(dots, '/');
    *dots = '\0';
    if (slash)
        *slash = '\0';
    enum br_status status = what_if_read_amount(curve, change, written->amount, whole, &from, diag);
    if (!status)
        status = what_if_read_amount(curve, change, dots + 2, whole, &to, diag);
    if (!status && slash)
        status = what_if_read_amount(curve, change, slash + 1, whole, &step, diag);
    if (status)
        return status;
    int32_t digits = 0;
    const struct br_decimal all[] = {from, to, step};
    for (size_t k = 0; k < 3; k++)
        digits = -all[k].exponent > digits ? -all[k].exponent : digits;
    bool machines = !change->resource;
    digits += slash || machines ? 0 : 1; /* so that the steps come out even */
    int64_t x, end, by;
    if (!what_if_scaled(from, digits, &x) || !what_if_scaled(to, digits, &end) ||
        !what_if_scaled(step, digits, &by) || x > end)
        return what_if_refuse(diag, whole);
    if (!slash)
        by = machines ? (end - x) / (2 * STEPS) + 1 : (end - x) / STEPS;
    if (by <= 0)
        by = 1;
    do {
        change->amount = br_decimal_unscale(x, digits);
        status = what_if_add_point(curve, change, diag);
    } while (!status && !__builtin_add_overflow(x, by, &x) && x <= end);
    return status;
}

static enum br_status add_changes(struct curve *curve, const char *list, struct br_diag *diag)
{
    for (const char *at = list; *at;) {
        at += strspn(at, " ");
        size_t length = strcspn(at, ",");
        struct written written;
        if (!what_if_split(at, length, &written))
            return what_if_refuse(diag, list);
        enum br_status status;
        char *dots = strstr(written.amount, "..");
        if (dots)
            status = add_range(curve, &written, dots, list, diag);
        else if (!(status = what_if_read_amount(curve, &written.change, written.amount, list,
                                                &written.change.amount, diag)))
            status = what_if_add_point(curve, &written.change, diag);
        if (status)
            return status;
        curve->series++;
        at += length;
        at += *at == ',';
    }
    return curve->points ? BR_OK : what_if_refuse(diag, list);
}

static void what_if_write_text(FILE *out, const struct br_curve *curve)
{
    char text[CLI_SECONDS_TEXT];
    int wide = 3;
    for (uint32_t k = 0; k < curve->points; k++) {
        int length = (int)strlen(curve->point[k].label);
        wide = length > wide ? length : wide;
    }
    fprintf(out, "%-*s  %12s s           (%s)\n", wide, "now", cli_seconds(curve->now_ns, text),
            curve->now_method);
    for (uint32_t k = 0; k < curve->points; k++) {
        const struct br_curve_point *p = &curve->point[k];
        cli_print_text(out, p->label);
        fprintf(out, "%*s  ", wide - (int)strlen(p->label), "");
        if (!p->feasible) {
            fputs("         none: some task fits no machine\n", out);
            continue;
        }
        fprintf(out, "%12s s  ", cli_seconds(p->bound_ns, text));
        if (curve->now_ns > 0)
            fprintf(out, "%+6.1f %% ", 100 * ((double)p->bound_ns / (double)curve->now_ns - 1));
        fprintf(out, "(%s)\n", p->method);
    }
}

enum br_status cli_what_if(const struct cli_settings *settings, const struct br_input *input,
                           struct br_diag *diag)
{
    struct curve curve = {.input = input};
    struct cli_point now;
    struct cli_output output;
    const char *format = settings->bound.json ? "json" : settings->output.format;
    enum br_status status = cli_point_bound(input->dag, input->cluster, &now, diag);
    if (!format && settings->output.path)
        format = cli_format_of(settings->output.path, &br_curve_formats);
    if (!status)
        status = add_changes(&curve, settings->bound.what_if, diag);
    if (!status)
        status = cli_output_open_format(&output, &settings->output, format, diag);
    if (!status) {
        struct br_curve out = {.job = br_dag_name(input->dag),
                               .now_ns = now.bound_ns,
                               .now_method = now.method,
                               .points = curve.points,
                               .point = curve.point};
        status = critical_path(input, &out.path_ns, diag);
        if (!status && (!format || strcmp(format, "text") == 0))
            what_if_write_text(output.file, &out);
        else if (!status)
            status = br_emit_curve(format, &out, output.file, diag);
        status = cli_output_close(&output, status, diag);
    }
    free(curve.point);
    return status;
}
