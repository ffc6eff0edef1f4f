/* Lays an instance of one machine out for the kernels: arcs between tasks with hubs for barriers,
 * resources that matter, lanes and bit planes. */
#include "planner/rcpsp/model.h"

#include <assert.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/memory.h"
#include "planner/schedule/order.h"

/* The cost of slices depends on durations and horizon, that of lists on the number of tasks. Beyond
 * these limits the list is faster. */
enum { SLICE_MEAN_DURATION = 256, SLICE_PLANES = 12 };
#define SLICE_HORIZON (INT64_C(1) << 20)

struct resource {
    int64_t capacity, unit;
    uint32_t number, bits;
};

static int64_t rcpsp_model_demand_of(const struct br_instance *in, uint32_t task,
                                     const struct resource *r)
{
    assert(r->unit > 0);
    return in->demand[(size_t)in->task_stage[task] * in->resources + r->number] / r->unit;
}

/* The resources that can run short, in units of the greatest common divisor of their demands. */
static uint32_t rcpsp_model_choose_resources(const struct br_instance *in, struct resource *out)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < in->resources; r++) {
        int64_t unit = br_instance_scarce_unit(in, r);
        if (unit == 0)
            continue;
        struct resource *resource = &out[count++];
        *resource = (struct resource){in->capacity[r] / unit, unit, r, 1};
        while (resource->capacity >> resource->bits)
            resource->bits++;
    }
    return count;
}

static bool build_lanes(struct br_rcpsp_model *m, const struct resource *resource, bool wide)
{
    const struct br_instance *in = m->in;
    uint32_t used = 64;
    m->words = 0;
    uint32_t *word = br_malloc((m->resources + 1) * sizeof *word);
    uint32_t *shift = br_malloc((m->resources + 1) * sizeof *shift);
    bool ok = word && shift && BR_ARRAY(&m->arena, m->resources, m->guard) &&
              BR_ARRAY(&m->arena, m->resources, m->whole);
    for (uint32_t r = 0; ok && r < m->resources; r++) {
        uint32_t width = resource[r].bits + 1;
        if (wide || used + width > 64) {
            m->words++;
            used = 0;
        }
        word[r] = m->words - 1;
        shift[r] = used;
        used += width;
        assert(used <= 64);
        m->guard[word[r]] |= UINT64_C(1) << (used - 1);
        m->whole[word[r]] |= (uint64_t)resource[r].capacity << shift[r];
    }
    for (uint32_t w = 0; ok && w < m->words; w++)
        m->whole[w] |= m->guard[w];
    ok = ok && BR_ARRAY(&m->arena, (size_t)m->tasks * m->words, m->lane) &&
         BR_ARRAY(&m->arena, m->tasks, m->holds);
    for (uint32_t t = 0; ok && t < m->tasks; t++)
        for (uint32_t r = 0; r < m->resources && in->duration[t] > 0; r++) {
            int64_t demand = rcpsp_model_demand_of(in, t, &resource[r]);
            assert(demand >= 0 && demand <= resource[r].capacity);
            m->lane[(size_t)t * m->words + word[r]] |= (uint64_t)demand << shift[r];
            m->holds[t] |= demand > 0;
        }
    br_free(word);
    br_free(shift);
    return ok;
}

/* Does the arc go through a hub? It does if both stages have several tasks and the arc is a
 * barrier. */
static bool by_hub(const struct br_instance *in, uint32_t stage, struct br_arc arc)
{
    return !arc.one_to_one && in->stage_first[stage + 1] - in->stage_first[stage] > 1 &&
           in->stage_first[arc.stage + 1] - in->stage_first[arc.stage] > 1;
}

/* Goes through the nodes before a task: always counts them, and writes them if there is
 * `before`. */
static uint32_t rcpsp_model_list_before(const struct br_instance *in, const uint32_t *first,
                                        const struct br_arc *arcs, const uint32_t *stage_hub,
                                        uint32_t task, uint32_t *before)
{
    uint32_t stage = in->task_stage[task], count = 0;
    for (uint32_t a = first[stage]; a < first[stage + 1]; a++) {
        uint32_t other = arcs[a].stage, from = in->stage_first[other],
                 end = in->stage_first[other + 1];
        if (by_hub(in, stage, arcs[a])) {
            if (before)
                before[count] = stage_hub[other];
            count++;
            continue;
        }
        if (arcs[a].one_to_one) {
            from += task - in->stage_first[stage];
            end = from + 1;
        }
        for (uint32_t t = from; t < end; t++, count++)
            if (before)
                before[count] = t;
    }
    return count;
}

static bool build_side(struct br_rcpsp_model *m, struct br_rcpsp_side *side, const uint32_t *first,
                       const struct br_arc *arcs, const int64_t *tail)
{
    const struct br_instance *in = m->in;
    uint32_t *stage_hub = br_calloc((size_t)in->stages + 1, sizeof *stage_hub);
    bool ok = stage_hub && BR_ARRAY(&m->arena, (size_t)m->tasks + 1, side->before_first) &&
              BR_ARRAY(&m->arena, m->tasks, side->hub) && BR_ARRAY(&m->arena, m->tasks, side->tail);
    if (!ok)
        goto out;
    side->nodes = m->tasks + 1;
    for (uint32_t s = 0; s < in->stages; s++)
        for (uint32_t a = first[s]; a < first[s + 1]; a++)
            if (by_hub(in, s, arcs[a]) && !stage_hub[arcs[a].stage])
                stage_hub[arcs[a].stage] = side->nodes++;
    size_t total = 0;
    for (uint32_t t = 0; t < m->tasks; t++) {
        side->hub[t] = stage_hub[in->task_stage[t]];
        side->tail[t] = tail[t];
        total += rcpsp_model_list_before(in, first, arcs, stage_hub, t, NULL);
        ok = ok && total <= UINT32_MAX - m->tasks;
        side->before_first[t + 1] = (uint32_t)total;
    }
    ok = ok && BR_ARRAY(&m->arena, total, side->before) &&
         BR_ARRAY(&m->arena, side->nodes, side->waits) &&
         BR_ARRAY(&m->arena, br_csr_room(side->nodes), side->after_first) &&
         BR_ARRAY(&m->arena, total + m->tasks, side->after);
    if (!ok)
        goto out;
    for (uint32_t t = 0; t < m->tasks; t++)
        rcpsp_model_list_before(in, first, arcs, stage_hub, t,
                                side->before + side->before_first[t]);
    for (size_t k = 0; k < total; k++)
        br_csr_count(side->after_first, side->before[k]);
    for (uint32_t t = 0; t < m->tasks; t++) {
        side->waits[t] = side->before_first[t + 1] - side->before_first[t];
        if (side->hub[t]) {
            side->waits[side->hub[t]]++;
            br_csr_count(side->after_first, t);
        }
    }
    br_csr_sum(side->after_first, side->nodes);
    for (uint32_t t = 0; t < m->tasks; t++) {
        for (uint32_t a = side->before_first[t]; a < side->before_first[t + 1]; a++)
            side->after[br_csr_place(side->after_first, side->before[a])] = t;
        if (side->hub[t])
            side->after[br_csr_place(side->after_first, t)] = side->hub[t];
    }
    assert(side->after_first[side->nodes] <= total + m->tasks);
out:
    br_free(stage_hub);
    return ok;
}

static bool build_sides(struct br_rcpsp_model *m)
{
    const struct br_instance *in = m->in;
    struct br_reach reach;
    bool ok = br_reach_init(&reach, in) &&
              build_side(m, &m->side[BR_FORWARD], in->parent_first, in->parent, reach.tail) &&
              build_side(m, &m->side[BR_BACKWARD], in->child_first, in->child, reach.head);
    br_reach_finish(&reach);
    return ok;
}

static bool suits_slices(const struct br_rcpsp_model *m)
{
    if (m->horizon > SLICE_HORIZON || m->horizon / SLICE_MEAN_DURATION > m->tasks)
        return false;
    return m->planes <= SLICE_PLANES && m->planes * m->groups <= BR_RCPSP_CELLS;
}

static void rcpsp_model_fill_record(const struct br_rcpsp_model *m,
                                    const struct br_rcpsp_side *side, uint32_t task,
                                    const struct resource *resource)
{
    struct br_rcpsp_record *record = (void *)(side->record + m->stride * task);
    br_rcpsp_vector *cell = (void *)(record + 1);
    uint32_t first = side->before_first[task], end = side->before_first[task + 1];
    for (uint32_t k = 0; k < BR_RCPSP_INLINE; k++)
        record->before[k] = first < end ? side->before[first++] : br_rcpsp_origin(m);
    record->more = first;
    record->more_end = end;
    record->duration = (uint32_t)m->in->duration[task];
    record->tail = (uint32_t)side->tail[task];
    record->hub = side->hub[task];
    record->holds = m->holds[task];
    /* A word holds no run longer than itself: a shift by 32 leaves none. */
    uint32_t length = 1;
    if (record->duration > 32)
        record->shift[0] = 32;
    else
        for (uint32_t k = 0; length < record->duration; k++) {
            assert(k < m->steps);
            uint32_t left = record->duration - length;
            record->shift[k] = (uint8_t)(length < left ? length : left);
            length += record->shift[k];
        }
    for (uint32_t r = 0; r < m->resources; r++) {
        int64_t demand = rcpsp_model_demand_of(m->in, task, &resource[r]);
        for (uint32_t b = 0; b < m->planes; b++)
            cell[b * m->groups + r / 4][r % 4] = demand >> b & 1 ? UINT32_MAX : 0;
    }
}

static bool build_slices(struct br_rcpsp_model *m, const struct resource *resource)
{
    assert(m->horizon <= SLICE_HORIZON && m->planes * m->groups <= BR_RCPSP_CELLS);
    uint32_t longest = 1;
    for (uint32_t t = 0; t < m->tasks; t++)
        if (m->in->duration[t] > longest)
            longest = (uint32_t)m->in->duration[t];
    while (m->steps < BR_RCPSP_STEPS && UINT32_C(1) << m->steps < longest)
        m->steps++;
    for (uint32_t r = 0; r < m->resources; r++)
        for (uint32_t b = 0; b < m->planes; b++)
            m->whole_slice[b * m->groups + r / 4][r % 4] =
                resource[r].capacity >> b & 1 ? UINT32_MAX : 0;
    m->stride =
        sizeof(struct br_rcpsp_record) + (size_t)m->planes * m->groups * sizeof(br_rcpsp_vector);
    for (int d = 0; d < 2; d++) {
        if (!BR_ARRAY(&m->arena, m->stride * m->tasks, m->side[d].record))
            return false;
        for (uint32_t t = 0; t < m->tasks; t++)
            rcpsp_model_fill_record(m, &m->side[d], t, resource);
    }
    return true;
}

struct br_rcpsp_model *br_rcpsp_model_create(const struct br_instance *in,
                                             enum br_rcpsp_profile profile)
{
    assert(in->machines == 1);
    struct br_rcpsp_model *m = br_calloc(1, sizeof *m);
    struct resource *resource = br_calloc((size_t)in->resources + 1, sizeof *resource);
    bool ok = m && resource;
    if (!ok)
        goto out;
    m->in = in;
    m->tasks = in->tasks;
    for (uint32_t t = 0; t < in->tasks; t++)
        m->horizon += in->duration[t];
    m->resources = rcpsp_model_choose_resources(in, resource);
    m->planes = 1;
    for (uint32_t r = 0; r < m->resources; r++)
        if (resource[r].bits > m->planes)
            m->planes = resource[r].bits;
    m->groups = m->resources > 4 ? (m->resources + 3) / 4 : 1;
    m->profile = profile;
    if (profile == BR_RCPSP_CHOOSE || profile == BR_RCPSP_SLICES)
        m->profile = suits_slices(m) ? BR_RCPSP_SLICES : BR_RCPSP_EVENTS;
    ok = build_lanes(m, resource, profile == BR_RCPSP_WIDE) && build_sides(m) &&
         (m->profile != BR_RCPSP_SLICES || build_slices(m, resource));
out:
    br_free(resource);
    if (ok)
        return m;
    br_rcpsp_model_destroy(m);
    return NULL;
}

void br_rcpsp_model_destroy(struct br_rcpsp_model *m)
{
    if (m)
        br_arena_finish(&m->arena);
    br_free(m);
}

enum br_rcpsp_profile br_rcpsp_model_profile(const struct br_rcpsp_model *m)
{
    return m->profile;
}

double br_rcpsp_model_placement_ns(const struct br_rcpsp_model *m)
{
    if (m->profile != BR_RCPSP_SLICES)
        return 27 + 0.26 * m->tasks;
    double ns = 20 + 0.19 * m->tasks;
    return ns > 37 ? ns : 37;
}
