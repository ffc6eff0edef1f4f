/* An allocator, preloaded, of which one call fails: BIGROCKS_FAIL_ALLOC=N fails the N-th allocation
 * of the program, and 0 none;
 * with BIGROCKS_FAIL_ON also all that come after it. At its end it writes to the descriptor BIGROCKS_FAIL_REPORT how many
 * there were: all threads together, with those of every library; children of the program have none
 * of this.
 *
 * Allocations go on to the next allocator, so that the address sanitizer can stand behind this one.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);
static void (*next_free)(void *);

static atomic_long calls;
static atomic_bool counting;
static long fails_at;
static bool fails_on;
static int report = -1;

/* Looking for the next allocator may allocate. This serves until it is found, and is never freed.
 */
static char early[1 << 14];
static size_t early_used;

static void *from_early(size_t size)
{
    size_t at = early_used;
    size = (size + 15) / 16 * 16;
    if (size > sizeof early - at)
        return NULL;
    early_used += size;
    return early + at;
}

static bool is_early(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)early < sizeof early;
}

static void *find(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static bool look(void)
{
    static bool looking;
    if (next_malloc)
        return true;
    if (looking)
        return false;
    looking = true;
    next_free = (void (*)(void *))find("free");
    next_calloc = (void *(*)(size_t, size_t))find("calloc");
    next_realloc = (void *(*)(void *, size_t))find("realloc");
    next_posix_memalign = (int (*)(void **, size_t, size_t))find("posix_memalign");
    next_aligned_alloc = (void *(*)(size_t, size_t))find("aligned_alloc");
    next_malloc = (void *(*)(size_t))find("malloc");
    return true;
}

static bool fails(void)
{
    if (!atomic_load(&counting))
        return false;
    long call = atomic_fetch_add(&calls, 1) + 1;
    if (call != fails_at && !(fails_on && fails_at && call > fails_at))
        return false;
    errno = ENOMEM;
    return true;
}

PUBLIC void *malloc(size_t size)
{
    return !look() ? from_early(size) : fails() ? NULL : next_malloc(size);
}

PUBLIC void *calloc(size_t count, size_t size)
{
    return !look() ? from_early(count * size) : fails() ? NULL : next_calloc(count, size);
}

PUBLIC void *realloc(void *memory, size_t size)
{
    if (is_early(memory)) {
        void *larger = malloc(size);
        size_t there = (size_t)(early + sizeof early - (char *)memory);
        return larger ? memcpy(larger, memory, size < there ? size : there) : NULL;
    }
    return !look() ? from_early(size) : fails() ? NULL : next_realloc(memory, size);
}

PUBLIC int posix_memalign(void **memory, size_t unit, size_t size)
{
    return !look() || fails() ? ENOMEM : next_posix_memalign(memory, unit, size);
}

PUBLIC void *aligned_alloc(size_t unit, size_t size)
{
    return !look() || fails() ? NULL : next_aligned_alloc(unit, size);
}

PUBLIC void free(void *memory)
{
    if (memory && !is_early(memory) && look())
        next_free(memory);
}

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("BIGROCKS_FAIL_ALLOC"), *fd = getenv("BIGROCKS_FAIL_REPORT");
    fails_at = at ? atol(at) : 0;
    fails_on = getenv("BIGROCKS_FAIL_ON") != NULL;
    report = fd ? atoi(fd) : -1;
    unsetenv("LD_PRELOAD");
    unsetenv("BIGROCKS_FAIL_ALLOC");
    unsetenv("BIGROCKS_FAIL_ON");
    unsetenv("BIGROCKS_FAIL_REPORT");
    atomic_store(&counting, at != NULL);
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    int size = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
    if (report >= 0 && write(report, text, (size_t)size) < 0)
        _exit(125);
}
