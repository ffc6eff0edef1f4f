#include "lp/solver/coflow_problem.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/decimal.h"
#include "base/numbers/real.h"
#include "parsers/text/json.h"
#include "parsers/text/source.h"

enum { PORTS_MOST = 1000000, COFLOWS_MOST = 100000, PARTS_MOST = 20000000 };
#define TEXT_MOST ((size_t)1 << 30)
/* Ten years; sums of all stay finite. */
#define SECONDS_MOST INT64_C(315360000)

/* A part as it is read. */
struct part {
    uint32_t coflow, port;
    double length;
};

struct problem {
    struct lp_order order;
    struct part *part;
    uint64_t parts, room;
    uint32_t coflow_room;
};

static void coflow_problem_finish(struct problem *problem)
{
    free(problem->order.release);
    free(problem->order.first);
    free(problem->order.part);
    free(problem->part);
}

/* ---- In ---- */

static bool coflow_problem_read_time(struct br_json *json, const char *what, double *seconds)
{
    int64_t ns;
    const char *at = json->at;
    if (!br_json_seconds(json, what, &ns))
        return false;
    if (ns < 0 || ns > SECONDS_MOST * INT64_C(1000000000))
        return br_json_fail(json, at, NULL, "%s is not within 0 and ten years", what);
    *seconds = (double)ns / 1e9;
    return true;
}

static bool coflow_problem_add_part(struct problem *p, struct br_json *json,
                                    const struct part *part)
{
    if (p->parts == p->room) {
        uint64_t room = p->room ? 2 * p->room : 1024;
        struct part *larger = room <= PARTS_MOST ? realloc(p->part, room * sizeof *larger) : NULL;
        if (!larger)
            return br_json_fail(json, json->at, NULL, "there are too many parts");
        p->part = larger;
        p->room = room;
    }
    p->part[p->parts++] = *part;
    return true;
}

/* [PORT, SECONDS]. */
static bool coflow_problem_read_part(struct problem *p, struct br_json *json, uint32_t coflow)
{
    uint64_t port;
    struct part part = {.coflow = coflow};
    if (!br_json_array(json, "a part") || !br_json_item(json) ||
        !br_json_count(json, "the port", p->order.ports - 1, &port) || !br_json_item(json) ||
        !coflow_problem_read_time(json, "the part's time", &part.length))
        return br_json_fail(json, json->at, "write [PORT, SECONDS]", "a part is incomplete");
    if (br_json_item(json))
        return br_json_fail(json, json->at, "write [PORT, SECONDS]", "a part has a third number");
    part.port = (uint32_t)port;
    return part.length <= 0 || coflow_problem_add_part(p, json, &part);
}

static bool problem_read_coflow(struct problem *p, struct br_json *json)
{
    struct lp_order *order = &p->order;
    struct br_json_field field[] = {{"release", true, NULL}, {"parts", true, NULL}};
    if (order->coflows == p->coflow_room) {
        uint32_t room = p->coflow_room ? 2 * p->coflow_room : 64;
        double *larger =
            room <= COFLOWS_MOST ? realloc(order->release, room * sizeof *larger) : NULL;
        if (!larger)
            return br_json_fail(json, json->at, NULL, "there are too many coflows");
        order->release = larger;
        p->coflow_room = room;
    }
    uint32_t coflow = order->coflows++;
    order->release[coflow] = 0;
    br_json_fields(json, "a coflow", field, 2);
    const char *after = json->at;
    if (!br_json_go(json, &field[0]) ||
        !coflow_problem_read_time(json, "the release", &order->release[coflow]) ||
        !br_json_go(json, &field[1]) || !br_json_array(json, "the parts"))
        return false;
    while (br_json_item(json))
        if (!coflow_problem_read_part(p, json, coflow))
            return false;
    json->at = after;
    json->fresh = false;
    return true;
}

static enum br_status read_problem(const char *text, struct problem *p, struct br_diag *diag)
{
    struct br_json json;
    struct br_json_field field[] = {{"ports", true, NULL}, {"coflows", true, NULL}};
    uint64_t ports = 0;
    br_json_init(&json, text, strlen(text), diag);
    br_json_fields(&json, "the coflows' problem", field, 2);
    br_json_done(&json);
    if (br_json_go(&json, &field[0]) && br_json_count(&json, "the ports", PORTS_MOST, &ports) &&
        ports == 0)
        br_json_fail(&json, field[0].at, NULL, "there are no ports");
    p->order.ports = (uint32_t)ports;
    if (br_json_go(&json, &field[1]) && br_json_array(&json, "the coflows"))
        while (br_json_item(&json))
            if (!problem_read_coflow(p, &json))
                break;
    br_json_finish(&json);
    return json.status;
}

/* Sorts the parts by port, those of a port by falling release. */
static bool sort_parts(struct problem *p)
{
    struct lp_order *order = &p->order;
    uint32_t *by_release = malloc(((size_t)order->coflows + 1) * sizeof *by_release);
    uint64_t *of = calloc((size_t)order->coflows + 2, sizeof *of); /* parts come by coflow */
    order->first = calloc((size_t)order->ports + 2, sizeof *order->first);
    order->part = malloc((p->parts + 1) * sizeof *order->part);
    bool made = by_release && of && order->first && order->part;
    for (uint64_t k = 0; made && k < p->parts; k++) {
        assert(k == 0 || p->part[k - 1].coflow <= p->part[k].coflow);
        of[p->part[k].coflow + 1] = k + 1;
        order->first[p->part[k].port + 2]++;
    }
    for (uint32_t c = 0; made && c < order->coflows; c++) {
        uint32_t at = c;
        of[c + 1] = of[c + 1] > of[c] ? of[c + 1] : of[c];
        for (; at && order->release[by_release[at - 1]] < order->release[c]; at--)
            by_release[at] = by_release[at - 1];
        by_release[at] = c;
    }
    for (uint32_t port = 2; made && port <= order->ports; port++)
        order->first[port] += order->first[port - 1];
    for (uint32_t c = 0; made && c < order->coflows; c++)
        for (uint64_t k = of[by_release[c]]; k < of[by_release[c] + 1]; k++)
            order->part[order->first[p->part[k].port + 1]++] =
                (struct lp_order_part){p->part[k].coflow, p->part[k].length};
    assert(!made || order->first[order->ports] == p->parts);
    free(by_release);
    free(of);
    return made;
}

/* ---- Out ---- */

static void coflow_problem_print_number(double number)
{
    char text[BR_DECIMAL_TEXT];
    br_decimal_format(br_real_decimal(number), text, sizeof text);
    fputs(text, stdout);
}

static void print_rows(const struct lp_order_answer *answer, bool cycles)
{
    const char *before = "";
    for (uint32_t k = 0; k < answer->rows; k++) {
        const struct lp_order_row *row = &answer->row[k];
        if ((row->port == UINT32_MAX) != cycles)
            continue;
        printf("%s\n  [%u, %u, %u, ", before, row->coflow[0], cycles ? row->coflow[1] : row->port,
               cycles ? row->coflow[2] : row->coflow[1]);
        coflow_problem_print_number(row->weight);
        putchar(']');
        before = ",";
    }
}

static void coflow_problem_print(const struct lp_order *order, const struct lp_order_answer *answer)
{
    static const char *const status_name[] = {[LP_END_DONE] = "optimal",
                                              [LP_END_LARGE] = "large",
                                              [LP_END_SPENT] = "limit",
                                              [LP_END_FAULT] = "fault"};
    double sum = answer->sum;
    for (uint32_t c = 0; c < order->coflows; c++)
        sum -= order->release[c];
    printf("{\"status\": \"%s\", \"mean\": ", status_name[answer->end]);
    coflow_problem_print_number(answer->rows && sum > 0 ? sum / order->coflows : 0);
    printf(",\n \"rows\": [");
    print_rows(answer, false);
    printf("],\n \"cycles\": [");
    print_rows(answer, true);
    puts("]}");
}

enum br_status lp_coflow_problem(const char *path, struct lp_budget *budget, struct br_diag *diag)
{
    struct br_source source;
    struct problem problem = {0};
    struct lp_order_answer answer = {0};
    char *text = NULL;
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    status = br_source_text(&source, TEXT_MOST, "JSON", &text, diag);
    if (!status)
        status = read_problem(text, &problem, diag);
    if (!status && (!sort_parts(&problem) || !lp_order_solve(&problem.order, budget, &answer)))
        status = br_fail_memory(diag);
    if (!status) {
        coflow_problem_print(&problem.order, &answer);
        if (fflush(stdout) || ferror(stdout))
            status = br_fail(diag, BR_SYSTEM, NULL, "cannot write: %s", strerror(errno));
    }
    br_source_close(&source);
    free(text);
    free(answer.row);
    coflow_problem_finish(&problem);
    return status;
}
