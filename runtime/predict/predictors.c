/* The table of predictors: a new one is a row in its own file and its name here. */
#include "runtime/predict/predictor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/index.h"
#include "base/numbers/real.h"
#include "base/text/options.h"
#include "runtime/predict/rows.h"

static const struct br_predictor_row *const rows[] = {
    &br_predictor_point,     &br_predictor_3sigma,          &br_predictor_3sigma_tl,
    &br_predictor_slearn,    &br_predictor_slearn_adaptive, &br_predictor_slearn_dag,
    &br_predictor_posterior, &br_predictor_oracle,
};

enum { ROWS = sizeof rows / sizeof *rows };

uint64_t br_feature(const char *text)
{
    uint64_t hash = br_hash_number(br_hash_text(text));
    return hash == BR_NO_FEATURE ? 1 : hash;
}

struct br_predict_setup br_predict_setup_default(uint32_t features)
{
    return (struct br_predict_setup){.features = features, .interval = 0.8, .number = NAN};
}

const struct br_predictor_row *br_predictor(uint32_t k)
{
    return k < ROWS ? rows[k] : NULL;
}

const char *br_predictor_name(uint32_t k)
{
    return k < ROWS ? rows[k]->name : NULL;
}

const char *br_predictor_summary(uint32_t k)
{
    return k < ROWS ? rows[k]->summary : NULL;
}

static enum br_status predictors_refuse(const char *name, struct br_diag *diag)
{
    struct br_suggestion suggestion = {.word = name};
    char hint[200] = "there are ";
    for (uint32_t k = 0; k < ROWS; k++) {
        size_t used = strlen(hint);
        br_suggestion_offer(&suggestion, rows[k]->name);
        snprintf(hint + used, sizeof hint - used, "%s%s", k ? ", " : "", rows[k]->name);
    }
    if (suggestion.best)
        snprintf(hint, sizeof hint, "did you mean '%s'?", suggestion.best);
    return br_fail(diag, BR_USAGE, hint, "there is no predictor '%.80s'", name);
}

static enum br_status predictors_read_number(const struct br_predictor_row *row, const char *text,
                                             double *number, struct br_diag *diag)
{
    struct br_decimal decimal;
    char hint[160];
    if (!row->number)
        return br_fail(diag, BR_USAGE, "leave the number out", "predictor %s takes no number",
                       row->name);
    if (!br_decimal_parse_nearest(text, &decimal)) {
        *number = br_real_of(decimal);
        if (*number >= row->least && *number <= row->most)
            return BR_OK;
    }
    snprintf(hint, sizeof hint, "it is %s, from %g to %g", row->number, row->least, row->most);
    return br_fail(diag, BR_USAGE, hint, "the number '%.40s' of predictor %s is out of its range",
                   text, row->name);
}

enum br_status br_predictor_find(const char *text, const struct br_predictor_row **row,
                                 double *number, struct br_diag *diag)
{
    const char *equals = strchr(text, '=');
    char name[64];
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    *number = NAN;
    *row = NULL;
    if (length >= sizeof name)
        length = sizeof name - 1;
    memcpy(name, text, length);
    name[length] = 0;
    for (uint32_t k = 0; k < ROWS; k++)
        if (strcmp(name, rows[k]->name) == 0)
            *row = rows[k];
    if (!*row)
        return predictors_refuse(name, diag);
    return equals ? predictors_read_number(*row, equals + 1, number, diag) : BR_OK;
}
