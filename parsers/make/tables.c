/* The output of make, in tables. */
#include <stdlib.h>
#include <string.h>

#include "parsers/make/make.h"

struct key {
    uint32_t level;
    const char *name;
};

static uint64_t make_tables_hash_key(uint32_t level, const char *name)
{
    return br_hash_number(br_hash_text(name) ^ level);
}

static uint64_t make_tables_hash_entry(const void *context, uint32_t number)
{
    const struct br_make_entry *it = &((const struct br_make *)context)->entry[number];
    return make_tables_hash_key(it->level, it->name);
}

static bool is_entry(const void *context, uint32_t number, const void *wanted)
{
    const struct br_make_entry *it = &((const struct br_make *)context)->entry[number];
    const struct key *key = wanted;
    return it->level == key->level && strcmp(it->name, key->name) == 0;
}

static const struct br_index_keys entry_keys = {make_tables_hash_entry, is_entry};

uint32_t br_make_find(const struct br_make *make, uint32_t level, const char *name)
{
    const struct key key = {level, name};
    return br_index_find(&make->by_name, &entry_keys, make, &key,
                         make_tables_hash_key(level, name));
}

bool br_make_begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

bool br_make_add_entry(struct br_make *make)
{
    uint32_t added = make->entries++;
    uint32_t at = br_make_find(make, make->entry[added].level, make->entry[added].name);
    if (at == BR_MAKE_NONE)
        return br_index_add(&make->by_name, &entry_keys, make, added);
    while (make->entry[at].next != BR_MAKE_NONE)
        at = make->entry[at].next;
    make->entry[at].next = added;
    return true;
}

bool br_make_ends_open(const char *line)
{
    size_t size = strlen(line), slashes = 0;
    while (slashes < size && line[size - 1 - slashes] == '\\')
        slashes++;
    return slashes % 2;
}

void br_make_finish(struct br_make *make)
{
    free(make->level);
    free(make->entry);
    free(make->recipe);
    free(make->item);
    free(make->wait);
    free(make->name);
    free(make->variable);
    free(make->text);
    br_index_finish(&make->by_name);
    br_arena_finish(&make->arena);
    *make = (struct br_make){0};
}
