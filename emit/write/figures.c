#include "emit/write/figures.h"

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
