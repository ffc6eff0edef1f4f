/* Insertion, removal and search in trees of offers. The numbers in the nodes are those of the
 * score, unrounded: a bound over a single offer is that offer's score to the last bit. So among
 * many equal offers only those that win the tie are visited. */
#include "runtime/enforcer/jobs/offers.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/heap.h"
#include "base/invariant.h"

/* ---- Nodes ---- */

/* LINK is no number: it holds the other data of a node that a search needs, so that the search
 * reads one place in memory per node. */
enum { PRIORITY, REMAINING, SHARE, LINK, TERMS };

struct link {
    uint32_t left, job; /* copied from the node */
};

/* Bounds on products of priority and packing, by node: the most of the priority times the total
 * demand, as shares of an average machine (WHOLE), and for each resource times its demand, and
 * times the total with this resource counted twice. */
enum { WHOLE, PRODUCTS };
/* More than sums of products lose by rounding. */
static const double above = 1 + 1e-9;

/* Two numbers that the processor handles at once. */
enum { LINE = 64 /* size of a cache line */ };

typedef double pair_of __attribute__((vector_size(16), may_alias));
typedef int64_t mask_of __attribute__((vector_size(16), may_alias));

/* In a box, resources come in pairs; if their number is odd, the last demand is 0. */
static uint32_t offers_pairs(const struct br_offers *offers)
{
    return (offers->width + 1) / 2;
}

static size_t stride(const struct br_offers *offers)
{
    return 4 * (size_t)offers_pairs(offers) + TERMS;
}

static double *box_of(const struct br_offers *offers, uint32_t node)
{
    return offers->box + node * stride(offers);
}

static double *terms_of(const struct br_offers *offers, uint32_t node)
{
    return box_of(offers, node) + 4 * (size_t)offers_pairs(offers);
}

static size_t product_stride(const struct br_offers *offers)
{
    return PRODUCTS + 2 * (size_t)offers->width;
}

static double *products_of(const struct br_offers *offers, uint32_t node)
{
    return offers->product + node * product_stride(offers);
}

static struct link link_in(const double *terms)
{
    struct link link;
    static_assert(sizeof link == sizeof *terms, "a link takes the place of a term");
    memcpy(&link, terms + LINK, sizeof link);
    return link;
}

/* The node has got another left child or job. */
static void set_link(struct br_offers *offers, uint32_t node)
{
    struct link link = {offers->node[node].left, offers->node[node].job};
    memcpy(terms_of(offers, node) + LINK, &link, sizeof link);
}

bool br_offers_reserve(struct br_offers *offers, uint64_t more)
{
    /* The pair 0 means none; every offer takes one, whether it is a root or beside another offer.
     */
    uint64_t wanted = offers->live + more + 1;
    if (wanted <= offers->room)
        return true;
    if (wanted >= UINT32_MAX / 4)
        return false;
    uint32_t room = (uint32_t)(wanted + wanted / 2 + 16);
    void *node = realloc(offers->node, 2 * (size_t)room * sizeof *offers->node);
    offers->node = node ? node : offers->node;
    void *box = realloc(offers->box, 2 * (size_t)room * stride(offers) * sizeof *offers->box);
    offers->box = box ? box : offers->box;
    void *product =
        realloc(offers->product, 2 * (size_t)room * product_stride(offers) * sizeof(double));
    offers->product = product ? product : offers->product;
    void *times = realloc(offers->times, 2 * (size_t)room * sizeof *offers->times);
    offers->times = times ? times : offers->times;
    void *scratch = realloc(offers->scratch, room * sizeof(struct br_offer *));
    offers->scratch = scratch ? scratch : offers->scratch;
    void *front = realloc(offers->front, 2 * (size_t)room * sizeof *offers->front);
    offers->front = front ? front : offers->front;
    if (!node || !box || !product || !times || !scratch || !front)
        return false;
    offers->room = room;
    if (!offers->used)
        offers->used = 1;
    return true;
}

void br_offers_finish(struct br_offers *offers)
{
    free(offers->node);
    free(offers->box);
    free(offers->product);
    free(offers->times);
    free(offers->scratch);
    free(offers->front);
    *offers = (struct br_offers){0};
}

/* The first node of a pair. */
static uint32_t take_pair(struct br_offers *offers)
{
    uint32_t pair = offers->free;
    if (pair) {
        offers->free = offers->node[2 * pair].parent;
    } else {
        assert(offers->used < offers->room);
        pair = offers->used++;
    }
    return 2 * pair;
}

static void give_pair(struct br_offers *offers, uint32_t node)
{
    offers->node[node & ~1u].parent = offers->free;
    offers->free = node / 2;
}

static void set_products(struct br_offers *offers, const struct br_offer *offer)
{
    double *product = products_of(offers, offer->node), *one = product + PRODUCTS, whole = 0;
    for (uint32_t r = 0; r < offers->width; r++)
        whole += (double)offer->demand[r] * offers->scale[r];
    product[WHOLE] = offer->priority * whole;
    for (uint32_t r = 0; r < offers->width; r++) {
        double demand = (double)offer->demand[r];
        one[r] = offer->priority * demand;
        one[offers->width + r] = offer->priority * (whole + demand * offers->scale[r]);
    }
}

/* Bounds the node's products by its children's; false if that changes nothing. */
static bool enclose_products(struct br_offers *offers, uint32_t node)
{
    size_t count = product_stride(offers);
    double *product = products_of(offers, node);
    const double *a = products_of(offers, offers->node[node].left), *b = a + count;
    bool changed = false;
    for (size_t k = 0; k < count; k++) {
        double most = a[k] > b[k] ? a[k] : b[k];
        changed |= product[k] != most;
        product[k] = most;
    }
    return changed;
}

/* The node becomes the offer's leaf. */
static void offers_set_leaf(struct br_offers *offers, uint32_t node, uint32_t parent,
                            struct br_offer *offer)
{
    double *least = box_of(offers, node), *most = least + 2 * (size_t)offers_pairs(offers);
    memset(least, 0, stride(offers) * sizeof *least);
    offers->node[node] =
        (struct br_offer_node){.parent = parent, .size = 1, .job = offer->job, .offer = offer};
    for (uint32_t r = 0; r < offers->width; r++)
        least[r] = most[r] = (double)offer->demand[r];
    double *terms = terms_of(offers, node);
    terms[PRIORITY] = offer->priority;
    terms[REMAINING] = offer->remaining;
    terms[SHARE] = offer->share;
    offers->times[node] = offer->times;
    set_link(offers, node);
    offer->node = node;
    set_products(offers, offer);
}

/* Moves the subtree below `from` to `to`, whose parent stays. */
static void move_node(struct br_offers *offers, uint32_t to, uint32_t from)
{
    struct br_offer_node *node = &offers->node[to];
    uint32_t parent = node->parent;
    *node = offers->node[from];
    node->parent = parent;
    memcpy(box_of(offers, to), box_of(offers, from), stride(offers) * sizeof *offers->box);
    memcpy(products_of(offers, to), products_of(offers, from),
           product_stride(offers) * sizeof *offers->product);
    offers->times[to] = offers->times[from];
    if (node->left)
        offers->node[node->left].parent = offers->node[node->left + 1].parent = to;
    else
        node->offer->node = to;
}

static double offers_lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

/* Bounds the node's times by its children's; false if that changes nothing. */
static bool enclose_times(struct br_offers *offers, uint32_t node)
{
    const struct br_offer_times *a = &offers->times[offers->node[node].left], *b = a + 1;
    struct br_offer_times *times = &offers->times[node], old = *times;
    times->duration_ns = a->duration_ns < b->duration_ns ? a->duration_ns : b->duration_ns;
    times->start_ns = a->start_ns < b->start_ns ? a->start_ns : b->start_ns;
    return times->duration_ns != old.duration_ns || times->start_ns != old.start_ns;
}

/* Bounds the node by its children; false if that changes nothing. */
static bool enclose(struct br_offers *offers, uint32_t node)
{
    struct br_offer_node *n = &offers->node[node];
    const struct br_offer_node *child = &offers->node[n->left];
    uint32_t width = 2 * offers_pairs(offers),
             job = child[0].job < child[1].job ? child[0].job : child[1].job;
    double *box = box_of(offers, node), *a = box_of(offers, n->left), *b = a + stride(offers);
    bool times = enclose_times(offers, node), products = enclose_products(offers, node);
    bool changed = times || products || n->job != job;
    n->job = job;
    set_link(offers, node);
    for (uint32_t k = 0; k < 2 * width + LINK; k++) {
        bool least = k < width || k == 2 * width + REMAINING;
        double bound = least ? offers_lesser(a[k], b[k]) : greater(a[k], b[k]);
        changed |= bound != box[k];
        box[k] = bound;
    }
    return changed;
}

static void enclose_up(struct br_offers *offers, uint32_t node)
{
    while (node && enclose(offers, node))
        node = offers->node[node].parent;
}

/* ---- Keys ---- */

static double coordinate(const struct br_offers *offers, const struct br_offer *offer,
                         uint32_t axis)
{
    if (axis < offers->width)
        return (double)offer->demand[axis];
    axis -= offers->width;
    return axis == PRIORITY ? offer->priority : axis == REMAINING ? offer->remaining : 0;
}

struct key {
    double value;
    uint32_t job, kind;
};

static struct key offers_key_of(const struct br_offers *offers, const struct br_offer *offer,
                                uint32_t axis)
{
    return (struct key){coordinate(offers, offer, axis), offer->job, offer->kind};
}

static bool offers_before(struct key a, struct key b)
{
    if (a.value != b.value)
        return a.value < b.value;
    return a.job != b.job ? a.job < b.job : a.kind < b.kind;
}

static bool goes_left(const struct br_offers *offers, uint32_t node, const struct br_offer *offer)
{
    const struct br_offer_node *n = &offers->node[node];
    return offers_before(offers_key_of(offers, offer, n->axis),
                         (struct key){n->split, n->split_job, n->split_kind});
}

/* The axis along which the offers differ most for the score: demands and work in units of packing,
 * priorities by their share in it. */
static uint32_t widest_axis(const struct br_offers *offers, struct br_offer *const *item,
                            uint32_t count)
{
    uint32_t best = offers->width + SHARE; /* by job and kind alone, if all are equal */
    double widest = 0, packing = 0;
    for (uint32_t r = 0; r < offers->width; r++)
        packing += (double)item[0]->demand[r] * offers->scale[r];
    for (uint32_t axis = 0; axis < offers->width + SHARE; axis++) {
        double least = INFINITY, most = -INFINITY, weight = packing;
        if (axis < offers->width)
            weight = offers->scale[axis];
        else if (axis == offers->width + REMAINING)
            weight = offers->eta;
        for (uint32_t k = 0; k < count; k++) {
            double value = coordinate(offers, item[k], axis);
            least = offers_lesser(least, value);
            most = greater(most, value);
        }
        if ((most - least) * weight > widest) {
            widest = (most - least) * weight;
            best = axis;
        }
    }
    return best;
}

/* ---- Building ---- */

/* Moves the `nth` items with the least keys to the front. */
static void offers_select_least(const struct br_offers *offers, struct br_offer **item,
                                uint32_t count, uint32_t nth, uint32_t axis)
{
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        struct key pivot = offers_key_of(offers, item[low + (high - low) / 2], axis);
        uint32_t i = low, j = high - 1;
        for (;;) {
            while (offers_before(offers_key_of(offers, item[i], axis), pivot))
                i++;
            while (offers_before(pivot, offers_key_of(offers, item[j], axis)))
                j--;
            if (i >= j)
                break;
            struct br_offer *swap = item[i];
            item[i] = item[j];
            item[j] = swap;
        }
        /* Keys differ, so the pivot is where both indexes have met. */
        if (nth <= i)
            high = i;
        else
            low = i + 1;
    }
}

static void offers_build(struct br_offers *offers, uint32_t node, uint32_t parent,
                         struct br_offer **item, uint32_t count)
{
    if (count == 1) {
        offers_set_leaf(offers, node, parent, item[0]);
        return;
    }
    uint32_t half = count / 2, axis = widest_axis(offers, item, count), left = take_pair(offers);
    offers_select_least(offers, item, count, half, axis);
    struct key least = offers_key_of(offers, item[half], axis);
    for (uint32_t k = half + 1; k < count; k++) {
        struct key key = offers_key_of(offers, item[k], axis);
        least = offers_before(key, least) ? key : least;
    }
    offers->node[node] = (struct br_offer_node){.parent = parent,
                                                .left = left,
                                                .size = count,
                                                .axis = axis,
                                                .split = least.value,
                                                .split_job = least.job,
                                                .split_kind = least.kind};
    offers_build(offers, left, node, item, half);
    offers_build(offers, left + 1, node, item + half, count - half);
    enclose(offers, node);
}

/* Removes the nodes below; returns the number of offers there. */
static uint32_t offers_gather(struct br_offers *offers, uint32_t node, struct br_offer **item)
{
    const struct br_offer_node *n = &offers->node[node];
    if (!n->left) {
        item[0] = n->offer;
        return 1;
    }
    uint32_t left = n->left, count = offers_gather(offers, left, item);
    count += offers_gather(offers, left + 1, item + count);
    give_pair(offers, left);
    return count;
}

static void rebuild(struct br_offers *offers, uint32_t node)
{
    uint32_t count = offers_gather(offers, node, offers->scratch);
    offers_build(offers, node, offers->node[node].parent, offers->scratch, count);
}

void br_offers_insert(struct br_offers *offers, uint32_t *root, struct br_offer *offer)
{
    assert(!offer->node);
    offers->live++;
    if (!*root) {
        *root = take_pair(offers);
        offers_set_leaf(offers, *root, 0, offer);
        return;
    }
    uint32_t node = *root, lopsided = 0;
    while (offers->node[node].left) {
        struct br_offer_node *n = &offers->node[node];
        uint32_t child = n->left + !goes_left(offers, node, offer);
        n->size++;
        if (!lopsided && 10 * (uint64_t)offers->node[child].size > 7 * (uint64_t)n->size + 20)
            lopsided = node;
        node = child;
    }
    struct br_offer *pair[] = {offers->node[node].offer, offer};
    offers_build(offers, node, offers->node[node].parent, pair, 2);
    enclose_up(offers, offers->node[node].parent);
    if (lopsided)
        rebuild(offers, lopsided);
    br_costly_assert(br_offers_is_sound(offers, *root));
}

void br_offers_remove(struct br_offers *offers, uint32_t *root, struct br_offer *offer)
{
    uint32_t node = offer->node, parent = offers->node[node].parent;
    assert(node && offers->node[node].offer == offer);
    offer->node = 0;
    offers->live--;
    if (!parent) {
        assert(*root == node);
        *root = 0;
        give_pair(offers, node);
        return;
    }
    move_node(offers, parent, node ^ 1);
    give_pair(offers, node);
    bool changed = true;
    for (uint32_t up = offers->node[parent].parent; up; up = offers->node[up].parent) {
        offers->node[up].size--;
        changed = changed && enclose(offers, up);
    }
    br_costly_assert(br_offers_is_sound(offers, *root));
}

void br_offers_update(struct br_offers *offers, const struct br_offer *offer)
{
    double *terms = terms_of(offers, offer->node);
    struct br_offer_times *times = &offers->times[offer->node];
    bool changed = terms[PRIORITY] != offer->priority || terms[REMAINING] != offer->remaining ||
                   times->duration_ns != offer->times.duration_ns;
    terms[PRIORITY] = offer->priority;
    terms[REMAINING] = offer->remaining;
    *times = offer->times;
    set_products(offers, offer);
    for (uint32_t node = offers->node[offer->node].parent; node && changed;
         node = offers->node[node].parent) {
        const double *a = terms_of(offers, offers->node[node].left), *b = a + stride(offers);
        double priority = greater(a[PRIORITY], b[PRIORITY]);
        double remaining = offers_lesser(a[REMAINING], b[REMAINING]);
        terms = terms_of(offers, node);
        bool sooner = enclose_times(offers, node), products = enclose_products(offers, node);
        changed =
            sooner || products || terms[PRIORITY] != priority || terms[REMAINING] != remaining;
        terms[PRIORITY] = priority;
        terms[REMAINING] = remaining;
    }
}

/* ---- Searching ---- */

/* The bound of the node by products of priority and packing, for a score that uses only these. */
static double bound_by_products(const struct br_offers *offers,
                                const struct br_offer_search *search, uint32_t node)
{
    const double *product = products_of(offers, node), *one = product + PRODUCTS;
    const double *terms = terms_of(offers, node);
    double packing =
        product[WHOLE] * search->whole + one[offers->width + search->twice_of] * search->twice;
    for (uint32_t r = 0; r < offers->width; r++)
        packing += one[r] * search->rest[r];
    const struct br_score_terms best = {
        .priority = 1,
        .packing = packing * terms[SHARE] * above,
        .remaining = terms[REMAINING],
        .eta = search->eta,
    };
    return search->score(&best);
}

/* The bound of the node, whose offers have `count` pairs of resources. Inlined, so that the
 * compiler knows the usual counts. */
__attribute__((always_inline)) static inline double bound_over(const struct br_offers *offers,
                                                               const struct br_offer_search *search,
                                                               uint32_t node, uint32_t count)
{
    const double *box = offers->box + node * (4 * (size_t)count + TERMS);
    const pair_of *least = (const pair_of *)box, *most = least + count;
    const pair_of *room = (const pair_of *)search->room, *free = (const pair_of *)search->free;
    const pair_of *weight = (const pair_of *)search->weight;
    mask_of over = {0, 0};
    double packing = 0;
    for (uint32_t p = 0; p < count; p++) {
        over |= least[p] > room[p];
        mask_of is_less = most[p] < room[p];
        pair_of amount = (pair_of)(((mask_of)most[p] & is_less) | ((mask_of)room[p] & ~is_less));
        amount = amount * free[p] * weight[p];
        /* One by one, in the order of the score. */
        packing += amount[0];
        packing += amount[1];
    }
    if (over[0] | over[1])
        return -INFINITY;
    const double *terms = (const double *)(most + count);
    const struct br_score_terms best = {
        .priority = terms[PRIORITY],
        .packing = packing * terms[SHARE],
        .remaining = terms[REMAINING],
        .eta = search->eta,
    };
    double score = search->score(&best);
    if (!(score > *search->least) &&
        !(score == *search->least &&
          search->wins_tie(search->context, best.priority, link_in(terms).job)))
        return -INFINITY;
    if (search->rest && link_in(terms).left) {
        score = offers_lesser(score, bound_by_products(offers, search, node));
        if (score < *search->least)
            return -INFINITY;
    }
    const struct br_offer_times *times = &offers->times[node];
    return !search->may_allow ||
                   search->may_allow(search->context, box, times->duration_ns, times->start_ns)
               ? score
               : -INFINITY;
}

static double offers_bound_of(struct br_offers *offers, const struct br_offer_search *search,
                              uint32_t node)
{
    offers->looked++;
    switch (offers_pairs(offers)) {
    case 1:
        return bound_over(offers, search, node, 1);
    case 2:
        return bound_over(offers, search, node, 2);
    default:
        return bound_over(offers, search, node, offers_pairs(offers));
    }
}

static bool offers_sooner(const void *none, const struct br_offer_front *a,
                          const struct br_offer_front *b)
{
    (void)none;
    return a->bound > b->bound;
}

BR_HEAP(front, struct br_offer_front, const void *, offers_sooner, 4)

/* Prefetches the boxes below the node, which the search probably reads next. */
static void fetch_below(const struct br_offers *offers, uint32_t node)
{
    const char *box = (const char *)box_of(offers, link_in(terms_of(offers, node)).left);
    for (size_t at = 0; at < 2 * stride(offers) * sizeof *offers->box; at += LINE)
        __builtin_prefetch(box + at);
}

/* The next node: a child of this one, or the first of the front. Goes on with the better child at
 * once if nothing in the front is better. */
static struct br_offer_front offers_go_on(struct br_offers *offers,
                                          const struct br_offer_search *search, uint32_t node,
                                          uint32_t *waiting)
{
    uint32_t left = link_in(terms_of(offers, node)).left;
    struct br_offer_front a = {-INFINITY, 0}, b = a;
    if (left) {
        a = (struct br_offer_front){offers_bound_of(offers, search, left), left};
        b = (struct br_offer_front){offers_bound_of(offers, search, left + 1), left + 1};
        if (b.bound > a.bound) {
            struct br_offer_front swap = a;
            a = b;
            b = swap;
        }
        if (a.bound > -INFINITY)
            fetch_below(offers, a.node);
        if (b.bound > -INFINITY)
            front_push(NULL, offers->front, waiting, b);
    }
    if (!*waiting || a.bound >= offers->front[0].bound)
        return a;
    struct br_offer_front best = offers->front[0];
    if (a.bound > -INFINITY)
        front_replace(NULL, offers->front, *waiting, a);
    else
        front_pop(NULL, offers->front, waiting);
    return best;
}

void br_offers_search(struct br_offers *offers, uint32_t root, const struct br_offer_search *search)
{
    uint32_t waiting = 0;
    struct br_offer_front at = {root ? offers_bound_of(offers, search, root) : -INFINITY, root};
    /* No waiting node is better than the next one. */
    while (at.bound > -INFINITY && at.bound >= *search->least) {
        /* The bound may be older than the last visit; among equal bounds it decides which is in
         * time. */
        if (!link_in(terms_of(offers, at.node)).left &&
            offers_bound_of(offers, search, at.node) > -INFINITY)
            search->visit(search->context, offers->node[at.node].offer);
        at = offers_go_on(offers, search, at.node, &waiting);
    }
}

bool br_offers_any_fits(struct br_offers *offers, uint32_t root, const int64_t *room)
{
    if (!root)
        return false;
    offers->looked++;
    const double *least = box_of(offers, root);
    for (uint32_t r = 0; r < offers->width; r++)
        if (least[r] > 0 && least[r] > (double)room[r])
            return false;
    uint32_t left = link_in(terms_of(offers, root)).left;
    if (!left)
        return br_demand_fits(offers->node[root].offer->demand, room, offers->width);
    return br_offers_any_fits(offers, left, room) || br_offers_any_fits(offers, left + 1, room);
}

bool br_offers_is_sound(const struct br_offers *offers, uint32_t root)
{
    if (!root)
        return true;
    const struct br_offer_node *n = &offers->node[root];
    const double *box = box_of(offers, root);
    struct link link = link_in(terms_of(offers, root));
    if (link.left != n->left || link.job != n->job)
        return false;
    if (!n->left)
        return n->size == 1 && n->offer->node == root && n->offer->job == n->job;
    const struct br_offer_node *child = &offers->node[n->left];
    uint32_t width = 2 * offers_pairs(offers);
    for (uint32_t c = 0; c < 2; c++) {
        const double *part = box_of(offers, n->left + c);
        const struct br_offer_times *times = &offers->times[n->left + c];
        if (times->duration_ns < offers->times[root].duration_ns ||
            times->start_ns < offers->times[root].start_ns || child[c].parent != root ||
            child[c].job < n->job)
            return false;
        const double *product = products_of(offers, n->left + c);
        for (size_t k = 0; k < product_stride(offers); k++)
            if (product[k] > products_of(offers, root)[k])
                return false;
        for (uint32_t k = 0; k < 2 * width + LINK; k++)
            if (k < width || k == 2 * width + REMAINING ? part[k] < box[k] : part[k] > box[k])
                return false;
    }
    return n->size == child[0].size + child[1].size && br_offers_is_sound(offers, n->left) &&
           br_offers_is_sound(offers, n->left + 1);
}
