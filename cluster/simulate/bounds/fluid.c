/* Event by event: until the next release or until what is served is done. [Schrage68]
 */
#include "cluster/simulate/bounds/fluid.h"

#include <assert.h>

#include "base/collections/heap.h"

static bool fluid_before(const void *none, const struct br_fluid_piece *a,
                         const struct br_fluid_piece *b)
{
    (void)none;
    return a->key != b->key ? a->key < b->key : a->piece < b->piece;
}

BR_HEAP(piece, struct br_fluid_piece, const void *, fluid_before, 4)

void br_fluid_shortest(const struct br_fluid *piece, uint32_t count, struct br_fluid_piece *heap,
                       double *end_s)
{
    uint32_t size = 0, next = 0, ended = 0;
    double now_s = 0;
    while (next < count || size) {
        if (!size && piece[next].release_s > now_s)
            now_s = piece[next].release_s;
        for (; next < count && piece[next].release_s <= now_s; next++)
            piece_push(NULL, heap, &size,
                       (struct br_fluid_piece){piece[next].size_s, piece[next].size_s, next});
        assert(size && (next == count || piece[next - 1].release_s <= piece[next].release_s));
        double left_s = heap[0].key;
        assert(left_s >= 0);
        if (next < count && now_s + left_s > piece[next].release_s) {
            heap[0].key -= piece[next].release_s - now_s; /* it stays the shortest */
            now_s = piece[next].release_s;
        } else {
            now_s += left_s;
            end_s[ended++] = now_s;
            piece_pop(NULL, heap, &size);
        }
    }
    assert(ended == count);
}

void br_fluid_densest(const struct br_fluid *piece, uint32_t count, const double *density,
                      struct br_fluid_piece *heap, double *busy_s)
{
    uint32_t size = 0, next = 0;
    double now_s = 0;
    while (next < count || size) {
        if (!size && piece[next].release_s > now_s)
            now_s = piece[next].release_s;
        for (; next < count && piece[next].release_s <= now_s; next++)
            piece_push(
                NULL, heap, &size,
                (struct br_fluid_piece){-density[piece[next].owner], piece[next].size_s, next});
        assert(size && (next == count || piece[next - 1].release_s <= piece[next].release_s));
        uint32_t owner = piece[heap[0].piece].owner;
        double spent_s = heap[0].left_s;
        bool done = next == count || now_s + spent_s <= piece[next].release_s;
        if (!done)
            spent_s = piece[next].release_s - now_s;
        assert(spent_s >= 0);
        busy_s[owner] += spent_s * (now_s + spent_s / 2);
        heap[0].left_s -= spent_s;
        now_s = done ? now_s + spent_s : piece[next].release_s;
        if (done)
            piece_pop(NULL, heap, &size);
    }
}
