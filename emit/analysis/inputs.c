/* Transfers over barriers lead to all tasks of a stage on a machine: they are sorted by both, and
 * each task looks up its run. Transfers of one-to-one edges lead to one task. */
#include "emit/analysis/inputs.h"

#include <stdlib.h>

#include "base/roles.h"
#include "emit/write/figures.h"

struct into {
    uint32_t stage, machine, transfer;
};

static int inputs_by_place(const void *a, const void *b)
{
    const struct into *x = a, *y = b;
    if (x->stage != y->stage)
        return x->stage < y->stage ? -1 : 1;
    if (x->machine != y->machine)
        return x->machine < y->machine ? -1 : 1;
    return x->transfer < y->transfer ? -1 : x->transfer > y->transfer;
}

static void inputs_add(struct br_inputs *inputs, const struct br_transfers *all, uint32_t task,
                       uint32_t transfer)
{
    uint32_t last = inputs->last[task];
    inputs->count[task]++;
    if (last == BR_INPUTS_NONE || br_transfer_end(all, transfer) > br_transfer_end(all, last) ||
        (br_transfer_end(all, transfer) == br_transfer_end(all, last) && transfer < last))
        inputs->last[task] = transfer;
}

/* The first sorted one that is not before the task's. */
static uint32_t inputs_find(const struct into *into, uint32_t count, uint32_t stage,
                            uint32_t machine)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (into[middle].stage < stage ||
            (into[middle].stage == stage && into[middle].machine < machine))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* All tasks of a stage on a machine wait for one set of transfers over barriers, so this run is
 * scanned once for each and summed up in its first element. */
static void add_barriers(struct br_inputs *inputs, const struct br_emit_input *input,
                         struct into *into, uint32_t count, uint32_t *last)
{
    const struct br_transfers *all = &input->plan->carried;
    const struct br_plan *plan = input->plan;
    qsort(into, count, sizeof *into, inputs_by_place);
    for (uint32_t k = 0, first = 0; k < count; k++) {
        if (k == 0 || into[k].stage != into[first].stage ||
            into[k].machine != into[first].machine) {
            first = k;
            last[first] = into[k].transfer;
        }
        if (br_transfer_end(all, into[k].transfer) > br_transfer_end(all, last[first]))
            last[first] = into[k].transfer;
        last[k] = k > first ? first : last[k];
    }
    for (uint32_t t = 0; t < plan->tasks; t++) {
        uint32_t stage = br_dag_task_stage(input->dag, t);
        uint32_t first = inputs_find(into, count, stage, plan->machine[t]);
        uint32_t past = inputs_find(into, count, stage, plan->machine[t] + 1);
        if (first == past)
            continue;
        inputs_add(inputs, all, t, last[first]);
        inputs->count[t] += past - first - 1;
    }
}

enum br_status br_inputs_init(struct br_inputs *inputs, const struct br_emit_input *input,
                              struct br_diag *diag)
{
    const struct br_plan *plan = input->plan;
    const struct br_transfers *all = &plan->carried;
    struct into *into = calloc((size_t)all->transfers + 1, sizeof *into);
    uint32_t *last = calloc((size_t)all->transfers + 1, sizeof *last), count = 0;
    inputs->count = calloc((size_t)plan->tasks + 1, sizeof *inputs->count);
    inputs->last = calloc((size_t)plan->tasks + 1, sizeof *inputs->last);
    enum br_status status =
        into && last && inputs->count && inputs->last ? BR_OK : br_fail_memory(diag);
    for (uint32_t t = 0; t < plan->tasks && !status; t++)
        inputs->last[t] = BR_INPUTS_NONE;
    for (uint32_t k = 0; k < all->transfers && !status; k++) {
        const struct br_transfer *x = &all->transfer[k];
        if (x->index == BR_TRANSFER_ALL)
            into[count++] = (struct into){x->child, x->to, k};
        else if (x->index < input->dag->stage[x->child].tasks) /* only in a plan read from a file */
            inputs_add(inputs, all, input->dag->stage[x->child].first_task + x->index, k);
    }
    if (!status && count)
        add_barriers(inputs, input, into, count, last);
    free(into);
    free(last);
    return status;
}

void br_inputs_finish(struct br_inputs *inputs)
{
    free(inputs->count);
    free(inputs->last);
    *inputs = (struct br_inputs){NULL, NULL};
}

bool br_inputs_bind(const struct br_inputs *inputs, const struct br_plan *plan, uint32_t task)
{
    return inputs->last[task] != BR_INPUTS_NONE &&
           br_transfer_end(&plan->carried, inputs->last[task]) == plan->start_ns[task];
}

uint32_t br_inputs_source(const struct br_emit_input *input, uint32_t transfer)
{
    const struct br_transfer *x = &input->plan->carried.transfer[transfer];
    const struct br_stage *stage = &input->dag->stage[x->parent];
    const struct br_plan *plan = input->plan;
    uint32_t source = UINT32_MAX;
    if (x->index != BR_TRANSFER_ALL)
        return x->index < stage->tasks ? stage->first_task + x->index : UINT32_MAX;
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
        if (plan->machine[t] == x->from &&
            (source == UINT32_MAX || plan->end_ns[t] > plan->end_ns[source]))
            source = t;
    return source;
}

void br_inputs_write(FILE *out, enum br_quote quote, const struct br_emit_input *input,
                     uint32_t transfer)
{
    const struct br_transfers *all = &input->plan->carried;
    const struct br_transfer *x = &all->transfer[transfer];
    char amount[BR_ROLE_AMOUNT_TEXT];
    br_role_bytes_text(x->bytes, amount);
    fprintf(out, "%s of ", amount);
    const struct br_stage *stage = &input->dag->stage[x->parent];
    if (x->index < stage->tasks)
        br_write_task(out, quote, input->dag, stage->first_task + x->index);
    else
        br_write_text(out, quote, stage->id);
    fputs(" from ", out);
    br_write_machine(out, quote, input->cluster, x->from);
    fputs(" to ", out);
    br_write_machine(out, quote, input->cluster, x->to);
    fputs(", ", out);
    br_write_about(out, br_transfer_start(all, transfer));
    fputs(" s to ", out);
    br_write_about(out, br_transfer_end(all, transfer));
    fputs(" s", out);
}
