/* bigrocks bound --what-if: how the lower bound moves with the cluster.
 *
 * A change is NAME, then +, - or =, then an amount: of a resource on every machine that has it, or
 * of "machines" in every class; with CLASS: before the name it is of that class alone. + and - also
 * take percent. An amount may be a range FROM..TO, or FROM..TO/STEP, which stands for that many
 * changes. Changes with " and " between them are made together. Changes in a list with commas are
 * tried one by one, each from the given cluster. */
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
#include "planner/eligibility/features.h"
#include "planner/instance/relax.h"

enum { NAME_MOST = 200, POINTS_MOST = 500, STEPS = 10 };

/* A change as it was written, with the name that it borrows. */
struct written {
    char name[NAME_MOST], amount[NAME_MOST];
    struct cli_change change;
};

/* A cluster that some changes of a list have been made to, as far as another has to be made with
 * them, and what they are. */
struct changed {
    struct br_cluster *cluster; /* owned; NULL: none was made */
    char label[NAME_MOST];
};

/* The points of the curve so far. */
struct curve {
    const struct br_input *input;
    struct changed made;
    struct br_curve_point *point;
    uint32_t points, room, series;
};

static enum br_status what_if_refuse(struct br_diag *diag, const char *text)
{
    return br_fail(diag, BR_USAGE,
                   "write such as cpu+25%, mem=64GiB, machines+2, CLASS:machines+1, or a range, "
                   "machines=1..8",
                   "'%.200s' is no change of the cluster", text);
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

/* Tells a class of the cluster and what follows it from the name of a resource. */
static void what_if_name(const struct br_cluster *cluster, struct written *out)
{
    const char *name = out->name;
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const char *cls = cluster->cls[c].name;
        const size_t length = strlen(cls);
        if (strncmp(out->name, cls, length) == 0 && out->name[length] == ':') {
            out->change.cls = cls;
            name = out->name + length + 1;
        }
    }
    out->change.resource = strcmp(name, "machines") == 0 ? NULL : name;
}

/* Splits "name+amount"; the amount is what follows the sign, which is not yet read. */
static bool what_if_split(const struct br_cluster *cluster, const char *text, size_t length,
                          struct written *out)
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
    what_if_name(cluster, out);
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

/* The change as a user would write it, with those that are made before it. */
static void what_if_label(const struct curve *curve, const struct cli_change *change, char *label,
                          size_t room)
{
    char amount[BR_ROLE_AMOUNT_TEXT];
    what_if_amount_text(curve->input->dag, change, amount);
    const int length =
        snprintf(label, room, "%s%s%.100s%s%.180s%c%.50s%s", curve->made.label,
                 curve->made.cluster ? " and " : "", change->cls ? change->cls : "",
                 change->cls ? ":" : "", change->resource ? change->resource : "machines",
                 change->sign, amount, change->percent ? "%" : "");
    if (length >= (int)room) /* so that a reader sees that it is cut */
        memcpy(label + room - sizeof "...", "...", sizeof "...");
}

/* Makes the change for those that follow it. */
static enum br_status what_if_make(struct curve *curve, const struct cli_change *change,
                                   struct br_diag *diag)
{
    struct changed next = {0};
    const struct br_cluster *from =
        curve->made.cluster ? curve->made.cluster : curve->input->cluster;
    enum br_status status = cli_changed_cluster(from, change, &next.cluster, diag);
    what_if_label(curve, change, next.label, sizeof next.label);
    br_cluster_destroy(curve->made.cluster);
    curve->made = next;
    return status;
}

static enum br_status what_if_add_point(struct curve *curve, const struct cli_change *change,
                                        struct br_diag *diag)
{
    struct cli_point point;
    const struct br_cluster *from =
        curve->made.cluster ? curve->made.cluster : curve->input->cluster;
    enum br_status status = cli_point_try(curve->input->dag, from, change, &point, diag);
    if (status)
        return status;
    if (curve->points >= POINTS_MOST)
        return br_fail(diag, BR_USAGE, "take longer steps", "these are more than %d changes",
                       POINTS_MOST);
    if (!br_grow(&curve->point, curve->points, &curve->room, sizeof *curve->point))
        return br_fail_memory(diag);
    struct br_curve_point *out = &curve->point[curve->points++];
    *out = (struct br_curve_point){.series = curve->series,
                                   .feasible = point.feasible,
                                   .bound_ns = point.bound_ns,
                                   .method = point.method};
    what_if_label(curve, change, out->label, sizeof out->label);
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
    if (!br_decimal_scale(from, digits, &x) || !br_decimal_scale(to, digits, &end) ||
        !br_decimal_scale(step, digits, &by) || x > end)
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

/* One change of a list; `more`: others are made with it. */
static enum br_status add_change(struct curve *curve, const char *at, size_t length, bool more,
                                 const char *list, struct br_diag *diag)
{
    struct written written;
    if (!what_if_split(curve->input->cluster, at, length, &written))
        return what_if_refuse(diag, list);
    char *dots = strstr(written.amount, "..");
    if (dots)
        return more ? br_fail(diag, BR_USAGE, "let the range be the last of them",
                              "a range stands before other changes in '%.200s'", list)
                    : add_range(curve, &written, dots, list, diag);
    enum br_status status = what_if_read_amount(curve, &written.change, written.amount, list,
                                                &written.change.amount, diag);
    if (status)
        return status;
    return more ? what_if_make(curve, &written.change, diag)
                : what_if_add_point(curve, &written.change, diag);
}

static enum br_status add_changes(struct curve *curve, const char *list, struct br_diag *diag)
{
    static const char with[] = " and ";
    enum br_status status = BR_OK;
    for (const char *at = list; *at && !status;) {
        at += strspn(at, " ");
        const size_t length = strcspn(at, ",");
        const char *end = at + length, *next = strstr(at, with);
        const bool more = next && next < end;
        status = add_change(curve, at, (size_t)((more ? next : end) - at), more, list, diag);
        if (more) {
            at = next + strlen(with);
            continue;
        }
        br_cluster_destroy(curve->made.cluster);
        curve->made = (struct changed){0};
        curve->series++;
        at = end + (*end == ',');
    }
    if (status)
        return status;
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
    /* That the job names classes which a change removes is no fault of it. */
    if (!status && input->dag->alternatives)
        input->dag->alternatives->classes_lost = true;
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
    br_cluster_destroy(curve.made.cluster);
    free(curve.point);
    return status;
}
