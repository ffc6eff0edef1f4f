/* [Mualem01] EASY backfilling: room is kept for the first of the queue at the time when enough
 * running commands will have ended; others start before it if they will have ended by then, or fit
 * beside it. Differs: a command of unknown duration counts as ending last of all, so it passes only
 * if it fits beside. A promise is not postponed when a command lasts longer than expected. A
 * command let in to run beside the first keeps its room in all later promises to it, or else a
 * stream of such commands would keep it out. */
#include "runtime/admission/queue.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"

enum state { ABSENT = 0, KNOWN, WAITS, RUNS };

struct entry {
    enum state state;
    bool beside; /* the first of the queue */
    uint32_t machine;
    uint64_t age; /* its place among all that were ever added */
    const double *demand;
    int64_t lasts_ns, end_ns; /* expected; INT64_MAX: unknown */
};

struct cli_queue {
    const struct br_cluster *cluster;
    uint32_t width;   /* resources */
    double *capacity; /* by machine and resource */
    double *free;     /* of a machine, temporarily */
    double *spare;    /* beside the first, on its machine */
    struct entry *entry;
    uint32_t entries, entry_room;
    uint32_t *waiting; /* by age */
    uint32_t count, waiting_room;
    uint32_t *ending; /* running clients of a machine, temporarily */
    uint32_t ending_room;
    uint64_t added;
    /* The first of the queue that found no room: its age, the time promised to it, and the machine.
     */
    uint64_t first;
    int64_t promised_ns;
    uint32_t first_machine;
};

static const uint64_t nobody = UINT64_MAX;

struct cli_queue *cli_queue_create(const struct br_cluster *cluster)
{
    struct cli_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return NULL;
    queue->cluster = cluster;
    queue->width = cluster->cls[0].capacities;
    queue->first = nobody;
    size_t width = (size_t)queue->width + 1;
    queue->capacity = calloc(width * cluster->machines, sizeof *queue->capacity);
    queue->free = calloc(width, sizeof *queue->free);
    queue->spare = calloc(width, sizeof *queue->spare);
    if (!queue->capacity || !queue->free || !queue->spare) {
        cli_queue_destroy(queue);
        return NULL;
    }
    double *to = queue->capacity;
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t m = 0; m < cluster->cls[c].count; m++)
            for (uint32_t k = 0; k < queue->width; k++) {
                struct br_decimal amount =
                    br_cluster_capacity(cluster, c, cluster->cls[0].capacity[k].resource);
                *to++ = (double)amount.mantissa * pow(10, amount.exponent);
            }
    assert(to == queue->capacity + (size_t)queue->width * cluster->machines);
    return queue;
}

void cli_queue_destroy(struct cli_queue *queue)
{
    if (!queue)
        return;
    free(queue->capacity);
    free(queue->free);
    free(queue->spare);
    free(queue->entry);
    free(queue->waiting);
    free(queue->ending);
    free(queue);
}

enum br_status cli_queue_add(struct cli_queue *queue, uint32_t client, const double *demand,
                             int64_t lasts_ns, bool waits, struct br_diag *diag)
{
    while (queue->entries <= client) {
        if (!br_grow(&queue->entry, queue->entries, &queue->entry_room, sizeof *queue->entry))
            return br_fail_memory(diag);
        queue->entry[queue->entries++] = (struct entry){0};
    }
    while (queue->ending_room < queue->entries)
        if (!br_grow(&queue->ending, queue->ending_room, &queue->ending_room,
                     sizeof *queue->ending))
            return br_fail_memory(diag);
    if (waits &&
        !br_grow(&queue->waiting, queue->count, &queue->waiting_room, sizeof *queue->waiting))
        return br_fail_memory(diag);
    if (waits)
        queue->waiting[queue->count++] = client;
    queue->entry[client] = (struct entry){.state = waits ? WAITS : KNOWN,
                                          .age = queue->added++,
                                          .demand = demand,
                                          .lasts_ns = lasts_ns};
    return BR_OK;
}

static void stop_waiting(struct cli_queue *queue, uint32_t client)
{
    uint32_t at = 0;
    while (queue->waiting[at] != client)
        at++;
    assert(at < queue->count);
    memmove(queue->waiting + at, queue->waiting + at + 1,
            (queue->count - at - 1) * sizeof *queue->waiting);
    queue->count--;
}

void cli_queue_hold(struct cli_queue *queue, uint32_t client, uint32_t machine, int64_t now_ns)
{
    struct entry *entry = &queue->entry[client];
    assert(entry->state == KNOWN || entry->state == WAITS);
    assert(machine < queue->cluster->machines);
    if (entry->state == WAITS)
        stop_waiting(queue, client);
    entry->state = RUNS;
    entry->machine = machine;
    entry->end_ns = entry->lasts_ns < 0 || entry->lasts_ns > INT64_MAX - now_ns
                        ? INT64_MAX
                        : now_ns + entry->lasts_ns;
}

void cli_queue_remove(struct cli_queue *queue, uint32_t client)
{
    if (client >= queue->entries)
        return;
    if (queue->entry[client].state == WAITS)
        stop_waiting(queue, client);
    queue->entry[client] = (struct entry){0};
}

/* ---- Room ---- */

/* Sums of decimals may be wrong in their last bits. */
static bool fits_in(const struct cli_queue *queue, uint32_t machine, const double *demand,
                    const double *room)
{
    const double *capacity = queue->capacity + (size_t)machine * queue->width;
    for (uint32_t k = 0; k < queue->width; k++)
        if (demand[k] > room[k] + 1e-12 * capacity[k])
            return false;
    return true;
}

static void add_to(const struct cli_queue *queue, double *room, const double *demand, int sign)
{
    for (uint32_t k = 0; k < queue->width; k++)
        room[k] += sign * demand[k];
}

/* The free capacity of the machine now. */
static void find_free(struct cli_queue *queue, uint32_t machine)
{
    memcpy(queue->free, queue->capacity + (size_t)machine * queue->width,
           queue->width * sizeof *queue->free);
    for (uint32_t c = 0; c < queue->entries; c++)
        if (queue->entry[c].state == RUNS && queue->entry[c].machine == machine)
            add_to(queue, queue->free, queue->entry[c].demand, -1);
}

/* ---- The promise ---- */

static int queue_ends_before(const void *a, const void *b, void *context)
{
    const struct cli_queue *queue = context;
    const struct entry *x = &queue->entry[*(const uint32_t *)a];
    const struct entry *y = &queue->entry[*(const uint32_t *)b];
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return x->age < y->age ? -1 : x->age > y->age;
}

/* The time when the demand fits on the machine, as its running commands end in turn; free becomes
 * the free capacity then. False if it never fits. */
static bool promise_on(struct cli_queue *queue, uint32_t machine, const double *demand,
                       int64_t *when_ns)
{
    uint32_t count = 0;
    find_free(queue, machine);
    for (uint32_t c = 0; c < queue->entries; c++)
        if (queue->entry[c].state == RUNS && queue->entry[c].machine == machine &&
            !queue->entry[c].beside)
            queue->ending[count++] = c;
    assert(count <= queue->ending_room);
    qsort_r(queue->ending, count, sizeof *queue->ending, queue_ends_before, queue);
    *when_ns = 0;
    for (uint32_t k = 0; !fits_in(queue, machine, demand, queue->free); k++) {
        if (k == count)
            return false;
        add_to(queue, queue->free, queue->entry[queue->ending[k]].demand, 1);
        *when_ns = queue->entry[queue->ending[k]].end_ns;
    }
    return true;
}

/* Keeps room for the client, the first that finds none. */
static void promise(struct cli_queue *queue, uint32_t client)
{
    const struct entry *first = &queue->entry[client];
    int64_t when_ns, best_ns = INT64_MAX;
    if (queue->first != first->age) {
        queue->first = first->age;
        queue->promised_ns = INT64_MAX;
        for (uint32_t c = 0; c < queue->entries; c++)
            queue->entry[c].beside = false;
    }
    queue->first_machine = UINT32_MAX;
    for (uint32_t m = 0; m < queue->cluster->machines; m++) {
        if (!promise_on(queue, m, first->demand, &when_ns) ||
            (queue->first_machine != UINT32_MAX && when_ns >= best_ns))
            continue;
        queue->first_machine = m;
        best_ns = when_ns;
        add_to(queue, queue->free, first->demand, -1);
        memcpy(queue->spare, queue->free, queue->width * sizeof *queue->spare);
    }
    if (best_ns < queue->promised_ns)
        queue->promised_ns = best_ns;
}

/* May the client start on the machine although the first one waits? */
static bool may_pass(struct cli_queue *queue, uint32_t client, uint32_t machine, int64_t now_ns,
                     bool *beside)
{
    const struct entry *entry = &queue->entry[client];
    *beside = false;
    if (queue->first_machine != machine)
        return true;
    if (entry->lasts_ns >= 0 && now_ns <= queue->promised_ns &&
        entry->lasts_ns <= queue->promised_ns - now_ns && queue->promised_ns < INT64_MAX)
        return true;
    *beside = fits_in(queue, machine, entry->demand, queue->spare);
    return *beside;
}

uint32_t cli_queue_next(struct cli_queue *queue, uint32_t before, int64_t now_ns, uint32_t *machine)
{
    bool first = before != UINT32_MAX; /* a client waits in front */
    if (first)
        promise(queue, before);
    for (uint32_t w = 0; w < queue->count; w++) {
        const uint32_t client = queue->waiting[w];
        for (uint32_t m = 0; m < queue->cluster->machines; m++) {
            bool beside = false;
            find_free(queue, m);
            if (!fits_in(queue, m, queue->entry[client].demand, queue->free) ||
                (first && !may_pass(queue, client, m, now_ns, &beside)))
                continue;
            cli_queue_hold(queue, client, m, now_ns);
            queue->entry[client].beside = beside;
            *machine = m;
            return client;
        }
        if (!first)
            promise(queue, client);
        first = true;
    }
    return UINT32_MAX;
}
