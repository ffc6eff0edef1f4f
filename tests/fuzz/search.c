/* A job and a cluster that the bytes describe, planned by any method, and all promises checked. */
#include <stdio.h>

#include <bigrocks/bigrocks.h>

#include "tests/fuzz/fuzz.h"

struct bytes {
    const uint8_t *at, *end;
};

static uint32_t take(struct bytes *bytes, uint32_t below)
{
    return bytes->at < bytes->end ? *bytes->at++ % below : 0;
}

/* Mostly small, sometimes at a boundary. */
static void amount(struct bytes *bytes, char text[32])
{
    static const char *const edge[] = {"0", "0.001", "1e3", "999999999", "0.333333333", "1.5"};
    uint32_t kind = take(bytes, 16);
    if (kind < sizeof edge / sizeof *edge)
        snprintf(text, 32, "%s", edge[kind]);
    else
        snprintf(text, 32, "%u.%u", (unsigned)take(bytes, 8), (unsigned)take(bytes, 10));
}

static int64_t duration_ns(struct bytes *bytes)
{
    static const int64_t edge[] = {0, 1, INT64_C(86400000000000), INT64_C(31536000000000000),
                                   999999999};
    uint32_t kind = take(bytes, 32);
    if (kind < sizeof edge / sizeof *edge)
        return edge[kind];
    return (int64_t)(1 + take(bytes, 12)) * INT64_C(500000000);
}

static void build(struct bytes *bytes, struct br_input *input)
{
    static const char *const resource[] = {"cpu", "mem", "net"};
    struct br_diag diag = {0};
    char text[32], name[16];
    uint32_t most = take(bytes, 4) ? 7 : 40, tasks = 0;
    uint32_t resources = 1 + take(bytes, 3), stages = 1 + take(bytes, 9),
             classes = 1 + take(bytes, 3);
    input->dag = br_dag_create("fuzz");
    input->cluster = br_cluster_create(NULL);
    if (!input->dag || !input->cluster)
        fuzz_fail(NULL, "memory is out");
    for (uint32_t c = 0; c < classes; c++) {
        uint32_t cls;
        snprintf(name, sizeof name, "m%u", (unsigned)c);
        if (br_cluster_add_class(input->cluster, name, 1 + take(bytes, 3), &cls, &diag))
            fuzz_fail(&diag, "a class is refused");
        for (uint32_t r = 0; r < resources; r++) {
            amount(bytes, text);
            if (take(bytes, 8) &&
                br_cluster_add_capacity(input->cluster, cls, resource[r], text, &diag))
                fuzz_fail(&diag, "a capacity is refused");
        }
    }
    for (uint32_t s = 0; s < stages; s++) {
        uint32_t stage, count = 1 + take(bytes, take(bytes, 2) ? 6 : 1);
        count = tasks + count > most ? 1 : count;
        tasks += count;
        snprintf(name, sizeof name, "s%u", (unsigned)s);
        if (br_dag_add_stage(input->dag, name, count, duration_ns(bytes), &stage, &diag))
            fuzz_fail(&diag, "a stage is refused");
        for (uint32_t r = 0; r < resources; r++) {
            amount(bytes, text);
            if (take(bytes, 4) && br_dag_add_demand(input->dag, stage, resource[r], text, &diag))
                fuzz_fail(&diag, "a demand is refused");
        }
        if (take(bytes, 4) == 1 &&
            br_dag_set_duration(input->dag, stage, take(bytes, count), duration_ns(bytes), &diag))
            fuzz_fail(&diag, "a duration is refused");
        for (uint32_t e = take(bytes, 4); e > 0 && s > 0; e--) {
            enum br_edge_type type = take(bytes, 8) == 7 ? BR_ONE_TO_ONE : BR_BARRIER;
            /* One-to-one edges between unequal counts are refused, and leave the job as it was. */
            enum br_status status = br_dag_add_edge(input->dag, take(bytes, s), stage, type, &diag);
            fuzz_said(status, &diag);
            if (status && type == BR_BARRIER)
                fuzz_fail(&diag, "an edge is refused");
        }
    }
}

void fuzz_search(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, data + size};
    struct br_diag diag = {0};
    struct br_input input = {0};
    uint32_t methods = 0;
    while (br_method_name(methods))
        methods++;
    const char *method = br_method_name(take(&bytes, methods));
    build(&bytes, &input);
    enum br_status status = br_dag_finish(input.dag, &diag);
    fuzz_said(status, &diag);
    if (!status)
        fuzz_make(&input, method, take(&bytes, 4));
    br_input_finish(&input);
}
