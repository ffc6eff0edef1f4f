/* The edges and the machines of the tasks tell which bytes have to move. The transfers of the plan
 * are sorted and compared with that, and their pieces swept port by port, in exact integers. */
#include "planner/check/transfers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/decimal.h"
#include "base/numbers/wide.h"

enum { NAME_TEXT = 200, FAULT_TEXT = 500 };

/* The tasks of a stage on a machine. */
struct side {
    uint32_t machine, tasks;
    int64_t first_start_ns, last_end_ns;
};

struct checking {
    const struct br_plan *plan;
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    br_transfer_fault *fault;
    void *context;
    bool enough;
    uint32_t *order;             /* transfers by edge, index and machines */
    uint32_t next;               /* the first that nothing has asked for so far */
    struct side *parent, *child; /* of the edge at hand, by machine */
    uint32_t *slot;              /* by machine; UINT32_MAX between uses */
};

static void check_transfers_report(struct checking *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void check_transfers_report(struct checking *c, const char *format, ...)
{
    char text[FAULT_TEXT];
    va_list args;
    if (c->enough)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->enough = !c->fault(c->context, text);
}

/* "the transfer from stage 'a' on m[0] to stage 'b' on m[1]" */
struct words {
    char text[2 * NAME_TEXT + 100];
};

static struct words check_transfers_name(const struct checking *c, uint32_t edge, uint32_t from,
                                         uint32_t to)
{
    struct words words;
    char a[NAME_TEXT], b[NAME_TEXT];
    br_cluster_machine_name(c->cluster, from, a, sizeof a);
    br_cluster_machine_name(c->cluster, to, b, sizeof b);
    snprintf(words.text, sizeof words.text,
             "the transfer from stage '%.80s' on %.60s to stage '%.80s' on %.60s",
             c->dag->stage[c->dag->edge[edge].parent].id, a,
             c->dag->stage[c->dag->edge[edge].child].id, b);
    return words;
}

static int check_transfers_compare(const struct br_transfer *x, const struct br_transfer *y)
{
    if (x->edge != y->edge)
        return x->edge < y->edge ? -1 : 1;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static int check_transfers_by_place(const void *a, const void *b, void *transfers)
{
    const struct br_transfer *all = transfers;
    return check_transfers_compare(&all[*(const uint32_t *)a], &all[*(const uint32_t *)b]);
}

static int by_machine(const void *a, const void *b)
{
    const struct side *x = a, *y = b;
    return x->machine < y->machine ? -1 : x->machine > y->machine;
}

/* The transfer itself: its pieces one after another, within its time, and its bytes. */
static void check_pieces(struct checking *c, const struct br_transfer *t, int64_t after_ns,
                         int64_t before_ns, br_wide bytes)
{
    const struct br_piece *piece = &c->plan->carried.piece[t->first_piece];
    struct words words = check_transfers_name(c, t->edge, t->from, t->to);
    br_wide moved = 0;
    int64_t at_ns = after_ns;
    for (uint32_t k = 0; k < t->pieces; k++) {
        if (piece[k].start_ns >= piece[k].end_ns || piece[k].rate <= 0) {
            check_transfers_report(c, "%s moves at %" PRId64 " bytes a second from %s s to %s s",
                                   words.text, piece[k].rate, br_seconds(piece[k].start_ns).text,
                                   br_seconds(piece[k].end_ns).text);
            return;
        }
        if (piece[k].start_ns < at_ns) {
            check_transfers_report(
                c, k ? "%s moves twice at %s s" : "%s begins at %s s, before its data is there",
                words.text, br_seconds(piece[k].start_ns).text);
            return;
        }
        at_ns = piece[k].end_ns;
        moved += (br_wide)piece[k].rate * (piece[k].end_ns - piece[k].start_ns);
    }
    if (at_ns > before_ns)
        check_transfers_report(c, "%s ends at %s s, after a task that waits for it starts at %s s",
                               words.text, br_seconds(at_ns).text, br_seconds(before_ns).text);
    if (moved < bytes * 1000000000)
        check_transfers_report(c, "%s moves fewer bytes than it has, which are %" PRId64,
                               words.text, (int64_t)bytes);
    if (t->bytes != bytes)
        check_transfers_report(c, "%s has %" PRId64 " bytes, the plan says %" PRId64, words.text,
                               (int64_t)bytes, t->bytes);
}

/* The next transfer of the plan has to be this one. */
static void check_transfers_expect(struct checking *c, const struct br_transfer *wanted,
                                   int64_t after_ns, int64_t before_ns)
{
    const struct br_transfers *all = &c->plan->carried;
    while (c->next < all->transfers && !c->enough) {
        const struct br_transfer *t = &all->transfer[c->order[c->next]];
        int order = check_transfers_compare(t, wanted);
        if (order > 0)
            break;
        c->next++;
        if (order == 0) {
            check_pieces(c, t, after_ns, before_ns, wanted->bytes);
            return;
        }
        check_transfers_report(c, "%s is there twice, or for nothing",
                               check_transfers_name(c, t->edge, t->from, t->to).text);
    }
    check_transfers_report(c, "%s is missing",
                           check_transfers_name(c, wanted->edge, wanted->from, wanted->to).text);
}

/* The tasks of the stage by machine, ascending. Returns how many machines. */
static uint32_t sides(struct checking *c, uint32_t stage, struct side *side)
{
    const struct br_plan *plan = c->plan;
    const struct br_stage *s = &c->dag->stage[stage];
    uint32_t count = 0;
    for (uint32_t t = s->first_task; t < s->first_task + s->tasks; t++) {
        uint32_t *slot = &c->slot[plan->machine[t]];
        const struct side fresh = {plan->machine[t], 0, plan->start_ns[t], plan->end_ns[t]};
        if (*slot == UINT32_MAX) {
            *slot = count++;
            side[*slot] = fresh;
        }
        struct side *at = &side[*slot];
        at->tasks++;
        at->first_start_ns =
            plan->start_ns[t] < at->first_start_ns ? plan->start_ns[t] : at->first_start_ns;
        at->last_end_ns = plan->end_ns[t] > at->last_end_ns ? plan->end_ns[t] : at->last_end_ns;
    }
    for (uint32_t k = 0; k < count; k++)
        c->slot[side[k].machine] = UINT32_MAX;
    br_sort_by(side, count, sizeof *side, by_machine);
    return count;
}

static void check_barrier(struct checking *c, uint32_t e)
{
    const struct br_edge *edge = &c->dag->edge[e];
    uint32_t parents = sides(c, edge->parent, c->parent);
    uint32_t children = sides(c, edge->child, c->child);
    br_uwide pairs = (br_uwide)c->dag->stage[edge->parent].tasks * c->dag->stage[edge->child].tasks;
    for (uint32_t a = 0; a < parents; a++)
        for (uint32_t b = 0; b < children && !c->enough; b++) {
            const struct side *p = &c->parent[a], *q = &c->child[b];
            br_uwide share = (br_uwide)edge->bytes * p->tasks * q->tasks;
            const struct br_transfer wanted = {.edge = e,
                                               .index = BR_TRANSFER_ALL,
                                               .from = p->machine,
                                               .to = q->machine,
                                               .bytes = (int64_t)((share + pairs - 1) / pairs)};
            if (p->machine != q->machine)
                check_transfers_expect(c, &wanted, p->last_end_ns, q->first_start_ns);
        }
}

static void check_one_to_one(struct checking *c, uint32_t e)
{
    const struct br_plan *plan = c->plan;
    const struct br_edge *edge = &c->dag->edge[e];
    const struct br_stage *parent = &c->dag->stage[edge->parent];
    uint32_t first = c->dag->stage[edge->child].first_task;
    for (uint32_t i = 0; i < parent->tasks && !c->enough; i++) {
        uint32_t p = parent->first_task + i, q = first + i;
        const struct br_transfer wanted = {.edge = e,
                                           .index = i,
                                           .from = plan->machine[p],
                                           .to = plan->machine[q],
                                           .bytes = edge->bytes / parent->tasks +
                                                    (edge->bytes % parent->tasks != 0)};
        if (wanted.from != wanted.to)
            check_transfers_expect(c, &wanted, plan->end_ns[p], plan->start_ns[q]);
    }
}

/* A port begins or ends to move at a rate. */
struct change {
    uint32_t port; /* 2 x machine, + 1 for what it receives */
    int64_t at_ns, rate;
};

static int by_port_and_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->port != y->port)
        return x->port < y->port ? -1 : 1;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return x->rate < y->rate ? -1 : x->rate > y->rate; /* ends come first */
}

static enum br_status check_ports(struct checking *c, struct br_diag *diag)
{
    const struct br_transfers *all = &c->plan->carried;
    size_t changes = 0, room = 1;
    for (uint32_t k = 0; k < all->transfers; k++) /* which may share pieces, if they are wrong */
        room += 4 * (size_t)all->transfer[k].pieces;
    struct change *change = br_malloc(room * sizeof *change);
    if (!change)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < all->transfers; k++) {
        const struct br_transfer *t = &all->transfer[k];
        for (uint32_t i = t->first_piece; i < t->first_piece + t->pieces; i++) {
            const struct br_piece *piece = &all->piece[i];
            change[changes++] = (struct change){2 * t->from, piece->start_ns, piece->rate};
            change[changes++] = (struct change){2 * t->from, piece->end_ns, -piece->rate};
            change[changes++] = (struct change){2 * t->to + 1, piece->start_ns, piece->rate};
            change[changes++] = (struct change){2 * t->to + 1, piece->end_ns, -piece->rate};
        }
    }
    br_sort_by(change, changes, sizeof *change, by_port_and_time);
    br_wide used = 0;
    for (size_t k = 0; k < changes && !c->enough; k++) {
        if (k == 0 || change[k].port != change[k - 1].port)
            used = 0;
        used += change[k].rate;
        uint32_t m = change[k].port / 2;
        const struct br_class *cls = &c->cluster->cls[br_cluster_machine_class(c->cluster, m)];
        bool sends = change[k].port % 2 == 0;
        if (change[k].rate > 0 && used > (sends ? cls->up : cls->down)) {
            char machine[NAME_TEXT];
            br_cluster_machine_name(c->cluster, m, machine, sizeof machine);
            check_transfers_report(
                c, "machine %s %s %" PRId64 " bytes a second at %s s, its port %" PRId64, machine,
                sends ? "sends" : "receives", used > INT64_MAX ? INT64_MAX : (int64_t)used,
                br_seconds(change[k].at_ns).text, sends ? cls->up : cls->down);
        }
    }
    br_free(change);
    return BR_OK;
}

/* The fields that the rest relies on. */
static bool check_transfers_is_sound(const struct checking *c, const struct br_transfer *t)
{
    return t->edge < c->dag->edges && t->from < c->cluster->machines &&
           t->to < c->cluster->machines && t->pieces > 0 &&
           t->first_piece < c->plan->carried.pieces &&
           t->pieces <= c->plan->carried.pieces - t->first_piece;
}

enum br_status br_transfers_check(const struct br_plan *plan, const struct br_dag *dag,
                                  const struct br_cluster *cluster, br_transfer_fault *fault,
                                  void *context, struct br_diag *diag)
{
    struct checking c = {
        .plan = plan, .dag = dag, .cluster = cluster, .fault = fault, .context = context};
    const struct br_transfers *all = &plan->carried;
    size_t machines = cluster->machines;
    enum br_status status = BR_OK;
    c.order = br_malloc(((size_t)all->transfers + 1) * sizeof *c.order);
    c.parent = br_calloc(machines, sizeof *c.parent);
    c.child = br_calloc(machines, sizeof *c.child);
    c.slot = br_malloc(machines * sizeof *c.slot);
    if (!c.order || !c.parent || !c.child || !c.slot) {
        status = br_fail_memory(diag);
        goto out;
    }
    memset(c.slot, 0xff, machines * sizeof *c.slot);
    for (uint32_t k = 0; k < all->transfers; k++) {
        c.order[k] = k;
        if (!check_transfers_is_sound(&c, &all->transfer[k])) {
            check_transfers_report(
                &c, "transfer number %" PRIu32 " is between nothing that there is", k);
            goto out;
        }
    }
    br_sort_within(c.order, all->transfers, sizeof *c.order, check_transfers_by_place,
                   all->transfer);
    for (uint32_t e = 0; e < dag->edges && !c.enough; e++) {
        if (dag->edge[e].bytes && dag->edge[e].type == BR_BARRIER)
            check_barrier(&c, e);
        else if (dag->edge[e].bytes)
            check_one_to_one(&c, e);
    }
    if (c.next < all->transfers) {
        const struct br_transfer *t = &all->transfer[c.order[c.next]];
        check_transfers_report(&c, "%s is there twice, or for nothing",
                               check_transfers_name(&c, t->edge, t->from, t->to).text);
    }
    if (!c.enough)
        status = check_ports(&c, diag);
out:
    br_free(c.order);
    br_free(c.parent);
    br_free(c.child);
    br_free(c.slot);
    return status;
}
