/* The transfers of a plan. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/plans/plan_reader.h"

static int transfers_json_by_ends(const void *a, const void *b, void *edges)
{
    const struct br_edge *x = &((const struct br_edge *)edges)[*(const uint32_t *)a];
    const struct br_edge *y = &((const struct br_edge *)edges)[*(const uint32_t *)b];
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return x->child < y->child ? -1 : x->child > y->child;
}

/* The edge between the stages, or UINT32_MAX. */
static uint32_t edge_between(const struct br_plan_reader *r, uint32_t parent, uint32_t child)
{
    uint32_t low = 0, high = r->dag->edges;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct br_edge *edge = &r->dag->edge[r->by_ends[middle]];
        if (edge->parent < parent || (edge->parent == parent && edge->child < child))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == r->dag->edges)
        return UINT32_MAX;
    const struct br_edge *edge = &r->dag->edge[r->by_ends[low]];
    return edge->parent == parent && edge->child == child ? r->by_ends[low] : UINT32_MAX;
}

static bool read_piece(void *context, uint32_t k)
{
    struct br_plan_reader *r = context;
    struct br_json *json = &r->json;
    struct br_transfers *all = &r->plan->carried;
    struct br_json_field f[] = {{"start", true, NULL}, {"end", true, NULL}, {"rate", true, NULL}};
    struct br_piece piece = {0};
    uint64_t rate = 0;
    if (!br_json_fields(json, "a rate", f, 3))
        return false;
    const char *after = json->at;
    if (!br_json_optional_seconds(json, &f[0], &piece.start_ns) ||
        !br_json_optional_seconds(json, &f[1], &piece.end_ns) ||
        !br_json_optional_count(json, &f[2], BR_MAX_RATE, &rate))
        return false;
    piece.rate = (int64_t)rate;
    if (!br_grow(&all->piece, all->pieces, &r->piece_room, sizeof *all->piece))
        return br_json_take(json, after, br_fail_memory(r->diag));
    all->piece[all->pieces++] = piece;
    json->at = after;
    return true;
}

static bool read_transfer(void *context, uint32_t k)
{
    struct br_plan_reader *r = context;
    enum { FROM, TO, INDEX, SOURCE, TARGET, BYTES, START, END, RATES, FIELDS };
    struct br_json *json = &r->json;
    struct br_json_field f[FIELDS] = {
        [FROM] = {"from", true, NULL},     [TO] = {"to", true, NULL},
        [INDEX] = {"index", false, NULL},  [SOURCE] = {"source", true, NULL},
        [TARGET] = {"target", true, NULL}, [BYTES] = {"bytes", true, NULL},
        [START] = {"start", false, NULL},  [END] = {"end", false, NULL},
        [RATES] = {"rates", true, NULL},
    };
    struct br_transfers *all = &r->plan->carried;
    assert(k < all->transfers);
    struct br_transfer *t = &all->transfer[k];
    uint64_t bytes = 0;
    *t = (struct br_transfer){.index = BR_TRANSFER_ALL, .first_piece = all->pieces};
    struct br_stated_span *stated = &r->plan->stated->transfer[k];
    *stated = (struct br_stated_span){BR_STATED_NO_TIME, BR_STATED_NO_TIME};
    if (!br_json_fields(json, "a transfer", f, FIELDS))
        return false;
    const char *after = json->at;
    if (!br_json_optional_seconds(json, &f[START], &stated->start_ns) ||
        !br_json_optional_seconds(json, &f[END], &stated->end_ns))
        return false;
    if (!br_json_go(json, &f[FROM]) || !br_plan_stage_named(r, "a stage's id", &t->parent) ||
        !br_json_go(json, &f[TO]) || !br_plan_stage_named(r, "a stage's id", &t->child) ||
        !br_json_optional_count32(json, &f[INDEX], &t->index) ||
        !br_plan_machine_named(r, &f[SOURCE], &t->from) ||
        !br_plan_machine_named(r, &f[TARGET], &t->to) ||
        !br_json_optional_count(json, &f[BYTES], BR_MAX_BYTES, &bytes))
        return false;
    t->edge = edge_between(r, t->parent, t->child);
    t->bytes = (int64_t)bytes;
    if (t->edge == UINT32_MAX)
        return br_json_fail(json, f[FROM].at, BR_PLAN_REWRITE,
                            "a transfer goes over an edge that the job does not have");
    if (!br_json_each(json, &f[RATES], "the rates", read_piece, r))
        return false;
    assert(t->first_piece <= all->pieces);
    t->pieces = all->pieces - t->first_piece;
    if (!t->pieces)
        return br_json_fail(json, f[RATES].at, BR_PLAN_REWRITE, "a transfer has no rates");
    json->at = after;
    return true;
}

bool br_plan_read_transfers(struct br_plan_reader *r, const struct br_json_field *field)
{
    struct br_json *json = &r->json;
    struct br_transfers *all = &r->plan->carried;
    uint32_t edges = r->dag->edges;
    if (!br_json_go(json, field))
        return !json->status;
    r->plan->network = true;
    br_json_array(json, "the transfers");
    while (br_json_item(json))
        if (br_json_skip(json))
            all->transfers++;
    if (json->status)
        return false;
    all->transfer = br_arena_array(&r->plan->arena, all->transfers, sizeof *all->transfer);
    struct br_plan_stated *stated = r->plan->stated;
    stated->transfer = br_arena_array(&r->plan->arena, all->transfers, sizeof *stated->transfer);
    r->by_ends = malloc(((size_t)edges + 1) * sizeof *r->by_ends);
    if (!all->transfer || !stated->transfer || !r->by_ends)
        return br_json_take(json, field->at, br_fail_memory(r->diag));
    for (uint32_t e = 0; e < edges; e++)
        r->by_ends[e] = e;
    qsort_r(r->by_ends, edges, sizeof *r->by_ends, transfers_json_by_ends, r->dag->edge);
    bool good = br_json_each(json, field, "the transfers", read_transfer, r);
    struct br_piece *grown = all->piece; /* of the heap, while it grows */
    all->piece = br_arena_array(&r->plan->arena, all->pieces, sizeof *all->piece);
    if (all->piece && all->pieces)
        memcpy(all->piece, grown, all->pieces * sizeof *grown);
    free(grown);
    return good && (all->piece || br_json_take(json, field->at, br_fail_memory(r->diag)));
}
