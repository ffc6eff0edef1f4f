/* The table of predictors, of the rows that rows.h names. */
#include "runtime/predict/predictor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/index.h"
#include "base/numbers/real.h"
#include "base/text/options.h"
#include "runtime/predict/rows.h"

#define ROW(name) &br_predictor_##name,
static const struct br_predictor_row *const rows[] = {BR_PREDICTORS(ROW)};
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

const struct br_names br_predictors = {BR_NAMES(rows), .pointers = true};

static enum br_status predictors_read_number(const struct br_predictor_row *row, const char *text,
                                             double *number, struct br_diag *diag)
{
    struct br_decimal decimal;
    char hint[160];
    if (!row->number)
        return br_fail(diag, BR_USAGE, "leave the number out", "predictor %s takes no number",
                       row->named.name);
    if (!br_decimal_parse_nearest(text, &decimal)) {
        *number = br_real_of(decimal);
        if (*number >= row->least && *number <= row->most)
            return BR_OK;
    }
    snprintf(hint, sizeof hint, "it is %s, from %g to %g", row->number, row->least, row->most);
    return br_fail(diag, BR_USAGE, hint, "the number '%.40s' of predictor %s is out of its range",
                   text, row->named.name);
}

enum br_status br_predictor_find(const char *text, const struct br_predictor_row **row,
                                 double *number, struct br_diag *diag)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    *number = NAN;
    *row = NULL;
    uint32_t k = br_named_find_part(&br_predictors, text, length);
    if (k == BR_NO_ROW)
        return br_fail_unnamed(diag, &br_predictors, text, length, "there is no predictor '%.*s'",
                               (int)(length < 60 ? length : 60), text);
    *row = rows[k];
    return equals ? predictors_read_number(*row, equals + 1, number, diag) : BR_OK;
}
