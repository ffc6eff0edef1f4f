#include "emit/write/figures.h"

#include <assert.h>
#include <math.h>

#include "base/numbers/real.h"
#include "emit/write/write.h"

void br_write_about(FILE *out, int64_t ns)
{
    int64_t step = 1, size = ns < 0 ? -ns : ns;
    while (step < 1000000000 && size / step >= 10000)
        step *= 10;
    int64_t rounded = (size + step / 2) / step * step;
    br_write_seconds(out, ns < 0 ? -rounded : rounded);
}

enum { BILLION = 1000000000 };

/* In billionths, which fit for any figure of a simulation. */
static int64_t billionths(double value)
{
    double most = 9e9;
    double clipped = value > most ? most : value < -most ? -most : value;
    return br_real_whole(clipped * BILLION);
}

void br_write_figure(FILE *out, double value, const char *none)
{
    if (!isfinite(value))
        fputs(none, out);
    else if (fabs(value) < 9e9)
        br_write_seconds(out, billionths(value));
    else
        fprintf(out, "%.0f", value);
}

void br_write_figure_about(FILE *out, double value, const char *none)
{
    if (!isfinite(value))
        fputs(none, out);
    else if (fabs(value) < 9e9)
        br_write_about(out, billionths(value));
    else
        fprintf(out, "%.0f", value);
}

void br_write_text_key(FILE *out, const char *before, const char *key, const char *text)
{
    fprintf(out, "%s\"%s\": \"", before, key);
    br_write_text(out, BR_QUOTE_JSON, text);
    putc('"', out);
}

void br_write_figure_key(FILE *out, const char *before, const char *key, double value)
{
    fprintf(out, "%s\"%s\": ", before, key);
    br_write_figure(out, value, "null");
}

void br_write_real(FILE *out, double value)
{
    br_write_decimal(out, br_real_decimal(value));
}

/* ---- Tables of figures ---- */

/* How a form writes texts, and what is unknown. */
struct figures_form {
    enum br_quote quote;
    const char *word_quote;
    const char *none;
};
static const struct figures_form figures_csv = {BR_QUOTE_CSV, "", ""},
                                 figures_json = {BR_QUOTE_JSON, "\"", "null"};

static void figures_write_value(FILE *out, const struct br_figure_value *value,
                                const struct figures_form *form)
{
    bool unknown = (value->kind == BR_FIGURE_TEXT && !value->text) ||
                   (value->kind == BR_FIGURE_TIME && value->ns == INT64_MAX);
    if (unknown) {
        fputs(form->none, out);
        return;
    }
    switch (value->kind) {
    case BR_FIGURE_REAL:
        br_write_figure(out, value->real, form->none);
        break;
    case BR_FIGURE_COUNT:
        br_write_count(out, value->count);
        break;
    case BR_FIGURE_TIME:
        br_write_seconds(out, value->ns);
        break;
    case BR_FIGURE_TEXT:
        putc('"', out);
        br_write_text(out, form->quote, value->text);
        putc('"', out);
        break;
    case BR_FIGURE_WORD:
        fprintf(out, "%s%s%s", form->word_quote, value->text, form->word_quote);
        break;
    case BR_FIGURE_FLAG:
        fputs(value->flag ? "true" : "false", out);
        break;
    }
}

void br_write_figures_head(FILE *out, const char *before, const struct br_figures *figures,
                           const char *after)
{
    for (uint32_t k = 0; k < figures->names.count; k++)
        fprintf(out, "%s%s", k ? "," : before, br_named_name(&figures->names, k));
    fputs(after, out);
}

void br_write_figures_row(FILE *out, const char *before, const struct br_figures *figures,
                          const void *row, const char *after)
{
    for (uint32_t k = 0; k < figures->names.count; k++) {
        struct br_figure_value value = figures->value(row, k);
        fputs(k ? "," : before, out);
        figures_write_value(out, &value, &figures_csv);
    }
    fputs(after, out);
}

void br_write_figures_keys(FILE *out, const char *before, const struct br_figures *figures,
                           const void *row, const char *after)
{
    const struct br_figure *figure = figures->names.first;
    assert(figures->names.size == sizeof *figure);
    for (uint32_t k = 0; k < figures->names.count; k++) {
        struct br_figure_value value = figures->value(row, k);
        fprintf(out, "%s\"%s\": ",
                !k               ? before
                : figure[k].line ? ",\n   "
                                 : ", ",
                figure[k].named.name);
        figures_write_value(out, &value, &figures_json);
    }
    fputs(after, out);
}

double br_figure_number(const struct br_figures *figures, const void *row, uint32_t k)
{
    struct br_figure_value value = figures->value(row, k);
    assert(k < figures->names.count);
    assert(value.kind == BR_FIGURE_REAL || value.kind == BR_FIGURE_COUNT);
    double real = value.kind == BR_FIGURE_COUNT ? (double)value.count : value.real;
    return isfinite(real) ? real : NAN;
}
