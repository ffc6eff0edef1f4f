/* The allocator of foreign libraries; one flag per thread, since readers run in many. */
#include "parsers/text/foreign.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local bool was_out;

static void *foreign_note(void *memory)
{
    if (!memory)
        was_out = true;
    return memory;
}

void *br_foreign_alloc(size_t size)
{
    return foreign_note(malloc(size ? size : 1));
}

void *br_foreign_resize(void *memory, size_t size)
{
    return foreign_note(realloc(memory, size ? size : 1));
}

char *br_foreign_text(const char *text)
{
    return foreign_note(strdup(text));
}

bool br_foreign_was_out(void)
{
    bool was = was_out;
    was_out = false;
    return was;
}
