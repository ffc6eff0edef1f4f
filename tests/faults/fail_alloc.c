/* An allocator, preloaded, of which one call fails: BIGROCKS_FAIL_ALLOC=N fails the N-th allocation
 * of the program, and 0 none;
 * with BIGROCKS_FAIL_ON also all that come after it. At its end it writes to the descriptor
 * BIGROCKS_FAIL_REPORT how many there were: all threads together, with those of every library;
 * children of the program have none of this.
 *
 * BIGROCKS_FAIL_SPARE is how libraries begin, as in "libc", whose own allocations neither fail nor
 * count: one that does not survive that itself.
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
static const char *spared;
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

/* The standard has no other way from a pointer to a function. */
static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

static bool look(void)
{
    static bool looking;
    if (next_malloc)
        return true;
    if (looking)
        return false;
    looking = true;
    find("free", &next_free);
    find("calloc", &next_calloc);
    find("realloc", &next_realloc);
    find("posix_memalign", &next_posix_memalign);
    find("aligned_alloc", &next_aligned_alloc);
    find("malloc", &next_malloc);
    return true;
}

static bool is_spared(const void *caller)
{
    Dl_info from;
    const char *file =
        dladdr(caller, &from) && from.dli_fname ? strrchr(from.dli_fname, '/') : NULL;
    return file && strncmp(file + 1, spared, strlen(spared)) == 0;
}

static bool fails(const void *caller)
{
    if (!atomic_load(&counting) || (spared && is_spared(caller)))
        return false;
    long call = atomic_fetch_add(&calls, 1) + 1;
    if (call != fails_at && !(fails_on && fails_at && call > fails_at))
        return false;
    errno = ENOMEM;
    return true;
}

#define FAILS fails(__builtin_return_address(0))

PUBLIC void *malloc(size_t size)
{
    return !look() ? from_early(size) : FAILS ? NULL : next_malloc(size);
}

PUBLIC void *calloc(size_t count, size_t size)
{
    return !look() ? from_early(count * size) : FAILS ? NULL : next_calloc(count, size);
}

PUBLIC void *realloc(void *memory, size_t size)
{
    if (is_early(memory)) {
        void *larger = malloc(size);
        size_t there = (size_t)(early + sizeof early - (char *)memory);
        return larger ? memcpy(larger, memory, size < there ? size : there) : NULL;
    }
    return !look() ? from_early(size) : FAILS ? NULL : next_realloc(memory, size);
}

PUBLIC int posix_memalign(void **memory, size_t unit, size_t size)
{
    return !look() || FAILS ? ENOMEM : next_posix_memalign(memory, unit, size);
}

PUBLIC void *aligned_alloc(size_t unit, size_t size)
{
    return !look() || FAILS ? NULL : next_aligned_alloc(unit, size);
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
    spared = getenv("BIGROCKS_FAIL_SPARE");
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
