#include "tests/support/takings.h"

#include <stdbool.h>
#include <stddef.h>

uint32_t taken;
uint32_t refuse = UINT32_MAX;

static bool grant(void)
{
    return taken++ != refuse;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    return grant() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return grant() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
    return grant() ? __real_realloc(memory, size) : NULL;
}
