/* The answer of the bounding program: one JSON object with "lower_bound" (decimal seconds, a
 * number or a string), "method", and perhaps "status". What else it says is for people. */
#include "parsers/parsers.h"

#include <stdio.h>

#include "parsers/json.h"

enum br_status br_parse_bound(const char *text, size_t size, struct br_bound_answer *answer,
                              struct br_diag *diag)
{
    struct br_json json;
    struct br_json_field field[] = {
        {"lower_bound", true, NULL}, {"method", true, NULL}, {"status", false, NULL}};
    *answer = (struct br_bound_answer){0};
    br_json_init(&json, text, size, diag);
    br_json_fields(&json, "a bound", field, 3);
    br_json_done(&json);
    if (br_json_go(&json, &field[0]) && br_json_scalar(&json, "a lower bound")) {
        /* To the nearest nanosecond is safe: every makespan is a whole number of them, so that a
         * bound may even be rounded up. */
        if (br_seconds_parse(json.text, &answer->lower_bound_ns) != BR_DECIMAL_OK ||
            answer->lower_bound_ns < 0)
            br_json_fail(&json, field[0].at, NULL, "the lower bound is not a time in seconds");
    }
    if (br_json_go(&json, &field[1]) && br_json_string(&json, "the method's name"))
        snprintf(answer->method, sizeof answer->method, "%s", json.text);
    if (br_json_go(&json, &field[2]) && br_json_string(&json, "the status"))
        snprintf(answer->status, sizeof answer->status, "%s", json.text);
    br_json_finish(&json);
    return json.status;
}
