/* Figures as data: numbers with decimals, the keys of JSON objects that hold them, and tables of
 * figures, from which reports write their rows of CSV and their objects of JSON. No locale and no
 * printf of a non-integer can change a byte. */
#ifndef BR_EMIT_WRITE_FIGURES_H
#define BR_EMIT_WRITE_FIGURES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text/named.h"

/* A number to nine decimals, without trailing zeros; `none` if it is unknown (not finite). */
void br_write_figure(FILE *out, double value, const char *none);
/* The number rounded for people, as by br_write_about. */
void br_write_figure_about(FILE *out, double value, const char *none);
/* Seconds rounded for people: four significant digits or more, no trailing zeros. */
void br_write_about(FILE *out, int64_t ns);
/* The shortest plain decimal that is read as this number. */
void br_write_real(FILE *out, double value);
/* `"key": "text"` and `"key": number` of a JSON object, after `before`; null if the number is
 * unknown. */
void br_write_text_key(FILE *out, const char *before, const char *key, const char *text);
void br_write_figure_key(FILE *out, const char *before, const char *key, double value);

/* A value of a figure. */
struct br_figure_value {
    enum {
        BR_FIGURE_REAL, /* NAN: unknown */
        BR_FIGURE_COUNT,
        BR_FIGURE_TIME, /* nanoseconds, written as seconds; INT64_MAX: unknown */
        BR_FIGURE_TEXT, /* NULL: unknown */
        BR_FIGURE_WORD, /* a text of the program's own, which CSV does not quote */
        BR_FIGURE_FLAG,
    } kind;
    union {
        double real;
        uint64_t count;
        int64_t ns;
        const char *text; /* borrowed */
        bool flag;
    };
};

/* The figures of a row, such as a job under a policy: an array of struct br_figure, and the value
 * of the k-th of them for a row. */
struct br_figures {
    struct br_names names;
    struct br_figure_value (*value)(const void *row, uint32_t k);
};
struct br_figure {
    struct br_named named; /* the column of CSV and the key of JSON; no summary */
    bool line;             /* begins a line of JSON */
};

/* Defines a static struct br_figures from a list. A figure is one line of the list: its name, and
 * an expression of `row`, a `const TYPE *`: a double, an unsigned number, a text, a bool,
 * br_figure_time(ns) or br_figure_word(text). LINE begins a line of JSON.
 *
 *     #define JOB_FIGURES(FIGURE, LINE)                  \
 *         FIGURE(policy, row->run->policy)               \
 *         LINE(jct, row->metrics->jct_s)
 *     BR_FIGURES(job_figures, struct job_row, JOB_FIGURES);
 */
#define BR_FIGURES(NAME, TYPE, LIST)                                                               \
    static struct br_figure_value NAME##_value(const void *of, uint32_t k)                         \
    {                                                                                              \
        enum { LIST(BR_FIGURE_PLACE, BR_FIGURE_PLACE) };                                           \
        const TYPE *row = of;                                                                      \
        switch (k) {                                                                               \
            LIST(BR_FIGURE_CASE, BR_FIGURE_CASE)                                                   \
        default:                                                                                   \
            return br_figure_text(NULL);                                                           \
        }                                                                                          \
    }                                                                                              \
    static const struct br_figure NAME##_rows[] = {LIST(BR_FIGURE_ROW, BR_FIGURE_ROW_LINE)};       \
    static const struct br_figures NAME = {{BR_NAMES(NAME##_rows)}, NAME##_value}
#define BR_FIGURE_PLACE(name, value) figure_##name,
#define BR_FIGURE_CASE(name, value)                                                                \
    case figure_##name:                                                                            \
        return BR_FIGURE_VALUE(value);
#define BR_FIGURE_ROW(name, value) {{#name, NULL}, false},
#define BR_FIGURE_ROW_LINE(name, value) {{#name, NULL}, true},

/* Any of these as a value. */
#define BR_FIGURE_VALUE(x)                                                                         \
    _Generic((x),                                                                                  \
        double: br_figure_real,                                                                    \
        uint32_t: br_figure_count,                                                                 \
        uint64_t: br_figure_count,                                                                 \
        bool: br_figure_flag,                                                                      \
        char *: br_figure_text,                                                                    \
        const char *: br_figure_text,                                                              \
        struct br_figure_value: br_figure_itself)(x)
static inline struct br_figure_value br_figure_real(double real)
{
    return (struct br_figure_value){.kind = BR_FIGURE_REAL, .real = real};
}
static inline struct br_figure_value br_figure_count(uint64_t count)
{
    return (struct br_figure_value){.kind = BR_FIGURE_COUNT, .count = count};
}
static inline struct br_figure_value br_figure_time(int64_t ns)
{
    return (struct br_figure_value){.kind = BR_FIGURE_TIME, .ns = ns};
}
static inline struct br_figure_value br_figure_text(const char *text)
{
    return (struct br_figure_value){.kind = BR_FIGURE_TEXT, .text = text};
}
static inline struct br_figure_value br_figure_word(const char *text)
{
    return (struct br_figure_value){.kind = BR_FIGURE_WORD, .text = text};
}
static inline struct br_figure_value br_figure_flag(bool flag)
{
    return (struct br_figure_value){.kind = BR_FIGURE_FLAG, .flag = flag};
}
static inline struct br_figure_value br_figure_itself(struct br_figure_value value)
{
    return value;
}

/* The head and a row of CSV, with "," between figures. Unknown values are empty. Texts are quoted;
 * a character that would begin a formula is written as \u003d and the like. All stand between
 * `before` and `after`: tables may stand side by side. */
void br_write_figures_head(FILE *out, const char *before, const struct br_figures *figures,
                           const char *after);
void br_write_figures_row(FILE *out, const char *before, const struct br_figures *figures,
                          const void *row, const char *after);
/* `"name": value, ...` of a JSON object. Unknown values are null. */
void br_write_figures_keys(FILE *out, const char *before, const struct br_figures *figures,
                           const void *row, const char *after);
/* Figure k of the row, which is a number; NAN if it is unknown. */
double br_figure_number(const struct br_figures *figures, const void *row, uint32_t k);

#endif
