/* Rules, nodes and edges of a build.ninja, indexed by name. */
#include "parsers/ninja/store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"

/* A name in a scope. */
struct key {
    uint32_t scope;
    const char *name;
};

static uint64_t ninja_store_hash_key(uint32_t scope, const char *name)
{
    return br_hash_number(br_hash_text(name) ^ scope);
}

static uint64_t hash_node(const void *context, uint32_t number)
{
    return br_hash_text(((const struct br_ninja *)context)->node[number].path);
}

static bool is_node(const void *context, uint32_t number, const void *key)
{
    return strcmp(((const struct br_ninja *)context)->node[number].path, key) == 0;
}

static uint64_t hash_variable(const void *context, uint32_t number)
{
    const struct br_ninja_variable *it = &((const struct br_ninja *)context)->variable[number];
    return ninja_store_hash_key(it->scope, it->name);
}

static bool is_variable(const void *context, uint32_t number, const void *wanted)
{
    const struct br_ninja_variable *it = &((const struct br_ninja *)context)->variable[number];
    const struct key *key = wanted;
    return it->scope == key->scope && strcmp(it->name, key->name) == 0;
}

static uint64_t ninja_store_hash_rule(const void *context, uint32_t number)
{
    const struct br_ninja_rule *it = &((const struct br_ninja *)context)->rule[number];
    return ninja_store_hash_key(it->scope, it->name);
}

static bool ninja_store_is_rule(const void *context, uint32_t number, const void *wanted)
{
    const struct br_ninja_rule *it = &((const struct br_ninja *)context)->rule[number];
    const struct key *key = wanted;
    return it->scope == key->scope && strcmp(it->name, key->name) == 0;
}

static const struct br_index_keys node_keys = {hash_node, is_node},
                                  variable_keys = {hash_variable, is_variable},
                                  rule_keys = {ninja_store_hash_rule, ninja_store_is_rule};

static uint32_t find_variable(const struct br_ninja *ninja, uint32_t scope, const char *name)
{
    struct key key = {scope, name};
    return br_index_find(&ninja->by_variable, &variable_keys, ninja, &key,
                         ninja_store_hash_key(scope, name));
}

static uint32_t find_own_rule(const struct br_ninja *ninja, uint32_t scope, const char *name)
{
    struct key key = {scope, name};
    return br_index_find(&ninja->by_rule, &rule_keys, ninja, &key,
                         ninja_store_hash_key(scope, name));
}

uint32_t br_ninja_find_node(const struct br_ninja *ninja, const char *path)
{
    return br_index_find(&ninja->by_path, &node_keys, ninja, path, br_hash_text(path));
}

uint32_t br_ninja_find_producer(const struct br_ninja *ninja, const char *path)
{
    const uint32_t node = br_ninja_find_node(ninja, path);
    return node == UINT32_MAX ? UINT32_MAX : ninja->node[node].producer;
}

const char *br_ninja_first_output(const struct br_ninja *ninja, uint32_t edge)
{
    assert(ninja->edge[edge].first[BR_NINJA_OUT] < ninja->edge[edge].first[BR_NINJA_IN]);
    return ninja->node[ninja->path[ninja->edge[edge].first[BR_NINJA_OUT]]].path;
}

const char *br_ninja_find_variable(const struct br_ninja *ninja, uint32_t scope, const char *name)
{
    uint32_t number = find_variable(ninja, scope, name);
    return number == UINT32_MAX ? NULL : ninja->variable[number].value;
}

uint32_t br_ninja_find_rule(const struct br_ninja *ninja, uint32_t scope, const char *name)
{
    for (; scope != UINT32_MAX; scope = ninja->scope[scope].parent) {
        assert(scope < ninja->scopes);
        uint32_t rule = find_own_rule(ninja, scope, name);
        if (rule != UINT32_MAX)
            return rule;
    }
    return UINT32_MAX;
}

bool br_ninja_add_scope(struct br_ninja *ninja, uint32_t parent, uint32_t *scope)
{
    if (!br_grow(&ninja->scope, ninja->scopes, &ninja->scope_room, sizeof *ninja->scope))
        return false;
    ninja->scope[ninja->scopes] = (struct br_ninja_scope){parent};
    *scope = ninja->scopes++;
    return true;
}

bool br_ninja_set_variable(struct br_ninja *ninja, uint32_t scope, const char *name,
                           const char *value)
{
    uint32_t number = find_variable(ninja, scope, name);
    if (number != UINT32_MAX) {
        ninja->variable[number].value = value;
        return true;
    }
    if (!br_grow(&ninja->variable, ninja->variables, &ninja->variable_room,
                 sizeof *ninja->variable))
        return false;
    ninja->variable[ninja->variables++] = (struct br_ninja_variable){name, value, scope};
    return br_index_add(&ninja->by_variable, &variable_keys, ninja, ninja->variables - 1);
}

bool br_ninja_add_rule(struct br_ninja *ninja, uint32_t scope, const char *name, uint32_t *rule)
{
    *rule = UINT32_MAX;
    if (find_own_rule(ninja, scope, name) != UINT32_MAX)
        return true;
    if (!br_grow(&ninja->rule, ninja->rules, &ninja->rule_room, sizeof *ninja->rule))
        return false;
    ninja->rule[ninja->rules] = (struct br_ninja_rule){.name = name, .scope = scope};
    *rule = ninja->rules++;
    return br_index_add(&ninja->by_rule, &rule_keys, ninja, *rule);
}

bool br_ninja_add_pool(struct br_ninja *ninja, const char *name, uint32_t depth)
{
    for (uint32_t k = 0; k < ninja->pools; k++)
        if (strcmp(ninja->pool[k].name, name) == 0) {
            ninja->pool[k].depth = depth;
            return true;
        }
    if (!br_grow(&ninja->pool, ninja->pools, &ninja->pool_room, sizeof *ninja->pool))
        return false;
    ninja->pool[ninja->pools++] = (struct br_ninja_pool){name, depth};
    return true;
}

bool br_ninja_add_node(struct br_ninja *ninja, const char *path, uint32_t *node)
{
    assert(*path);
    *node = br_ninja_find_node(ninja, path);
    if (*node != UINT32_MAX)
        return true;
    if (!br_grow(&ninja->node, ninja->nodes, &ninja->node_room, sizeof *ninja->node))
        return false;
    ninja->node[ninja->nodes] = (struct br_ninja_node){path, UINT32_MAX, false};
    *node = ninja->nodes++;
    return br_index_add(&ninja->by_path, &node_keys, ninja, *node);
}

bool br_ninja_init(struct br_ninja *ninja)
{
    uint32_t number;
    *ninja = (struct br_ninja){0};
    return br_ninja_add_scope(ninja, UINT32_MAX, &number) &&
           br_ninja_add_rule(ninja, BR_NINJA_TOP, "phony", &number) &&
           br_ninja_add_pool(ninja, "console", 1);
}

bool br_ninja_extend(struct br_ninja *ninja, uint32_t edge, enum br_ninja_run run,
                     const uint32_t *node, uint32_t count)
{
    uint32_t *first = ninja->edge[edge].first;
    const uint32_t begin = ninja->paths, size = first[BR_NINJA_RUNS] - first[0];
    const uint32_t before = first[run + 1] - first[0];
    if (!count)
        return true;
    while (ninja->path_room - ninja->paths < size + count) /* the edge's paths have moved */
        if (!br_grow(&ninja->path, ninja->path_room, &ninja->path_room, sizeof *ninja->path))
            return false;
    assert(before <= size && first[BR_NINJA_RUNS] <= ninja->paths);
    uint32_t *to = ninja->path + begin;
    const uint32_t *from = ninja->path + first[0];
    memcpy(to, from, before * sizeof *to);
    memcpy(to + before, node, count * sizeof *to);
    memcpy(to + before + count, from + before, (size - before) * sizeof *to);
    ninja->paths += size + count;
    for (int r = BR_NINJA_RUNS; r >= 0; r--)
        first[r] = begin + (first[r] - first[0]) + (r > (int)run ? count : 0);
    assert(first[0] == begin && first[BR_NINJA_RUNS] == ninja->paths);
    return true;
}

void br_ninja_finish(struct br_ninja *ninja)
{
    for (uint32_t k = 0; k < ninja->files; k++) {
        free(ninja->file[k].path);
        free(ninja->file[k].text);
    }
    free(ninja->file);
    free(ninja->scope);
    free(ninja->variable);
    free(ninja->rule);
    free(ninja->pool);
    free(ninja->node);
    free(ninja->edge);
    free(ninja->path);
    free(ninja->target);
    br_index_finish(&ninja->by_path);
    br_index_finish(&ninja->by_variable);
    br_index_finish(&ninja->by_rule);
    br_arena_finish(&ninja->arena);
    *ninja = (struct br_ninja){0};
}
