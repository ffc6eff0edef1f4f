/* The answer of the bounding program; its other fields are for people. */
#include "parsers/plans/bound_json.h"

#include <stdio.h>

#include "base/numbers/decimal.h"
#include "parsers/plans/certificate_json.h"

/* Rounding to the nearest nanosecond is safe: every makespan is a whole number of them, so a bound
 * may even be rounded up. */
bool br_read_lower_bound(struct br_json *json, const struct br_json_field *field, int64_t *ns)
{
    if (!br_json_go(json, field) || !br_json_scalar(json, "a lower bound"))
        return false;
    if (br_seconds_parse(json->text, ns) == BR_DECIMAL_OK && *ns >= 0)
        return true;
    return br_json_fail(json, field->at, NULL, "the lower bound is not a time in seconds");
}

enum br_status br_parse_bound(const char *text, size_t size, const struct br_dag *dag,
                              struct br_bound_answer *answer, struct br_diag *diag)
{
    struct br_json json;
    struct br_json_field field[] = {{"lower_bound", true, NULL},
                                    {"method", true, NULL},
                                    {"status", false, NULL},
                                    {"certificate", false, NULL}};
    *answer = (struct br_bound_answer){0};
    br_json_init(&json, text, size, diag);
    br_json_fields(&json, "a bound", field, 4);
    br_json_done(&json);
    br_read_lower_bound(&json, &field[0], &answer->lower_bound_ns);
    if (br_json_go(&json, &field[1]) && br_json_string(&json, "the method's name"))
        snprintf(answer->method, sizeof answer->method, "%s", json.text);
    if (br_json_go(&json, &field[2]) && br_json_string(&json, "the status"))
        snprintf(answer->status, sizeof answer->status, "%s", json.text);
    br_read_certificate(&json, &field[3], dag, &answer->certificate);
    br_json_finish(&json);
    return json.status;
}
