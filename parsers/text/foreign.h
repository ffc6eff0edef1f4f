/* The allocator for foreign libraries, which remembers that memory was out. The libraries report it
 * badly: as a fault of the text, as a text that ends early, or not at all. */
#ifndef BR_PARSERS_TEXT_FOREIGN_H
#define BR_PARSERS_TEXT_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

void *br_foreign_alloc(size_t size);
void *br_foreign_resize(void *memory, size_t size);
char *br_foreign_text(const char *text);

/* Was memory out in this thread since the last call of this function? */
bool br_foreign_was_out(void);

#endif
