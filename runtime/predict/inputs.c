#include "runtime/predict/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers/decimal.h"
#include "base/text/diag.h"

/* More than any file; sums beyond it are cut. */
static const int64_t bytes_most = INT64_C(1) << 60;

static void inputs_add(int64_t *sum, int64_t bytes)
{
    *sum += bytes < bytes_most - *sum ? bytes : bytes_most - *sum;
}

/* Adds the attribute to what its stage reads, or the job. */
static enum br_status inputs_take(const struct br_dag *dag, const struct br_attribute *attribute,
                                  int64_t *by_stage, int64_t *of_job, struct br_diag *diag)
{
    struct br_decimal amount;
    const bool staged = attribute->owner == BR_OWNER_STAGE;
    if (attribute->owner == BR_OWNER_EDGE || strcmp(attribute->name, "input_size") != 0)
        return BR_OK;
    if (br_decimal_parse_suffixed(attribute->value, &amount) != BR_DECIMAL_OK ||
        amount.mantissa < 0) {
        br_diag_file(diag, dag->source);
        return br_fail_at(diag, staged ? dag->stage[attribute->index].pos : (struct br_pos){0},
                          BR_BAD_INPUT, "write bytes, such as \"2GiB\"",
                          "the input_size of %s '%.200s' is '%.80s', which is no amount",
                          staged ? "stage" : "job",
                          staged ? dag->stage[attribute->index].id : dag->name, attribute->value);
    }
    inputs_add(staged ? &by_stage[attribute->index] : of_job, br_decimal_ceil(amount));
    return BR_OK;
}

enum br_status br_inputs_of(const struct br_dag *dag, int64_t **bytes, struct br_diag *diag)
{
    int64_t of_job = 0, *by_stage = calloc((size_t)dag->stages + 1, sizeof *by_stage);
    enum br_status status = by_stage ? BR_OK : br_fail_memory(diag);
    bool any = false;
    *bytes = NULL;
    for (uint32_t a = 0; a < dag->attributes && !status; a++)
        status = inputs_take(dag, &dag->attribute[a], by_stage, &of_job, diag);
    for (uint32_t e = 0; e < dag->edges && !status; e++)
        inputs_add(&by_stage[dag->edge[e].child], dag->edge[e].bytes);
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        const int64_t tasks = dag->stage[s].tasks, all = by_stage[s] ? by_stage[s] : of_job;
        by_stage[s] = all / tasks + (all % tasks > 0);
        any |= by_stage[s] > 0;
    }
    if (any)
        *bytes = by_stage;
    else
        free(by_stage);
    return status;
}

enum br_status br_inputs_expect(struct br_history *history, const struct br_dag *dag,
                                uint32_t *scaled, struct br_diag *diag)
{
    int64_t *bytes;
    *scaled = 0;
    enum br_status status = br_inputs_of(dag, &bytes, diag);
    if (status || !bytes)
        return status;
    struct br_history_input *input = calloc((size_t)dag->stages + 1, sizeof *input);
    if (!input)
        status = br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        input[s] = (struct br_history_input){dag->stage[s].id, bytes[s]};
    if (!status)
        status = br_history_expect(history, input, dag->stages, scaled, diag);
    free(input);
    free(bytes);
    return status;
}
