/* Building a cluster, and finding machines in it. */
#include "planner/model/cluster/cluster.h"

#include <bigrocks/dag.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/index.h"
#include "base/collections/memory.h"
#include "base/roles.h"
#include "planner/model/cluster/amount.h"

struct br_cluster *br_cluster_create(const char *name)
{
    struct br_cluster *cluster = br_calloc(1, sizeof *cluster);
    if (!cluster)
        return NULL;
    if (name && !(cluster->name = br_arena_text(&cluster->arena, name))) {
        br_cluster_destroy(cluster);
        return NULL;
    }
    return cluster;
}

void br_cluster_destroy(struct br_cluster *cluster)
{
    if (!cluster)
        return;
    for (uint32_t c = 0; c < cluster->classes; c++)
        br_free(cluster->cls[c].capacity);
    br_free(cluster->cls);
    br_free(cluster->shared);
    br_calendar_destroy(cluster->calendar);
    br_free(cluster->fungible);
    br_free(cluster->generic);
    br_arena_finish(&cluster->arena);
    br_free(cluster);
}

/* Is the one machine of class "m[1]" also the second of a class "m" of several? */
static bool share_names(const char *one, const char *several, uint32_t count)
{
    size_t length = strlen(several);
    char index[16];
    if (strncmp(one, several, length) != 0 || one[length] != '[')
        return false;
    unsigned long number = strtoul(one + length + 1, NULL, 10);
    snprintf(index, sizeof index, "[%lu]", number);
    return number < count && strcmp(one + length, index) == 0;
}

enum br_status br_cluster_add_class(struct br_cluster *cluster, const char *name, uint32_t count,
                                    uint32_t *cls, struct br_diag *diag)
{
    BR_NEED(diag, cluster);
    if (!name || !*name)
        return br_fail(diag, BR_BAD_INPUT, "give every class of machines a name",
                       "a class of machines has no name");
    if (count == 0)
        return br_fail(diag, BR_BAD_INPUT, "a class has at least one machine",
                       "class '%s' has no machines", name);
    if (count > BR_MAX_MACHINES || cluster->machines > BR_MAX_MACHINES - count)
        return br_fail(diag, BR_BAD_INPUT, "plan for fewer machines",
                       "class '%s' takes the cluster over %u machines, the most that are planned",
                       name, BR_MAX_MACHINES);
    if (cluster->classes == BR_MAX_CLASSES)
        return br_fail(diag, BR_BAD_INPUT, "put equal machines into one class",
                       "class '%s' is one more than %u, the most that are planned", name,
                       BR_MAX_CLASSES);
    for (uint32_t c = 0; c < cluster->classes; c++)
        if (strcmp(cluster->cls[c].name, name) == 0)
            return br_fail(diag, BR_BAD_INPUT, "give every class a name of its own",
                           "class '%s' is there twice", name);
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const struct br_class *other = &cluster->cls[c];
        if ((count == 1 && other->count > 1 && share_names(name, other->name, other->count)) ||
            (count > 1 && other->count == 1 && share_names(other->name, name, count)))
            return br_fail(diag, BR_BAD_INPUT, "rename one of them",
                           "a machine of class '%s' has the name of one of class '%s'", name,
                           other->name);
    }
    char *copy = br_arena_text(&cluster->arena, name);
    struct br_class *larger =
        br_realloc(cluster->cls, ((size_t)cluster->classes + 1) * sizeof *cluster->cls);
    if (larger)
        cluster->cls = larger;
    if (!copy || !larger)
        return br_fail_memory(diag);
    larger[cluster->classes] = (struct br_class){
        .name = copy, .count = count, .first_machine = cluster->machines, .speed = {.mantissa = 1}};
    cluster->machines += count;
    if (cls)
        *cls = cluster->classes;
    cluster->classes++;
    return BR_OK;
}

const struct br_capacity *br_class_capacity(const struct br_class *cls, const char *resource)
{
    for (uint32_t k = 0; k < cls->capacities; k++)
        if (strcmp(cls->capacity[k].resource, resource) == 0)
            return &cls->capacity[k];
    return NULL;
}

const struct br_capacity *br_cluster_shared(const struct br_cluster *cluster, const char *resource)
{
    for (uint32_t k = 0; k < cluster->shareds; k++)
        if (strcmp(cluster->shared[k].resource, resource) == 0)
            return &cluster->shared[k];
    return NULL;
}

static enum br_status refuse_both(const char *resource, const struct br_class *cls,
                                  struct br_diag *diag)
{
    return br_fail(diag, BR_BAD_INPUT, "give it to the machines, or share it",
                   "%.80s is shared by all machines, and class '%.80s' offers it, too", resource,
                   cls->name);
}

enum br_status br_cluster_add_shared(struct br_cluster *cluster, const char *resource,
                                     const char *amount, struct br_diag *diag)
{
    BR_NEED(diag, cluster);
    struct br_decimal value;
    enum br_status status =
        br_amount_read("a shared resource of the cluster", resource, amount, &value, diag);
    if (status)
        return status;
    if (br_cluster_shared(cluster, resource))
        return br_fail(diag, BR_BAD_INPUT, "share each resource once", "%.80s is shared twice",
                       resource);
    for (uint32_t c = 0; c < cluster->classes; c++)
        if (br_class_capacity(&cluster->cls[c], resource))
            return refuse_both(resource, &cluster->cls[c], diag);
    if (cluster->shareds == BR_MAX_RESOURCES)
        return br_fail(diag, BR_BAD_INPUT, "merge resources that are demanded together",
                       "%.80s is one shared resource more than %u, the most that are planned",
                       resource, BR_MAX_RESOURCES);
    char *copy = br_arena_text(&cluster->arena, resource);
    struct br_capacity *larger =
        br_realloc(cluster->shared, ((size_t)cluster->shareds + 1) * sizeof *larger);
    if (larger)
        cluster->shared = larger;
    if (!copy || !larger)
        return br_fail_memory(diag);
    larger[cluster->shareds++] = (struct br_capacity){copy, value, br_role_is_in_bytes(amount)};
    return BR_OK;
}

enum br_status br_cluster_add_capacity(struct br_cluster *cluster, uint32_t cls,
                                       const char *resource, const char *amount,
                                       struct br_diag *diag)
{
    BR_NEED(diag, cluster);
    if (cls >= cluster->classes)
        return br_fail(diag, BR_USAGE, NULL, "there is no class number %" PRIu32, cls);
    struct br_class *class = &cluster->cls[cls];
    if (!resource || !*resource)
        return br_fail(diag, BR_BAD_INPUT, "name the resource",
                       "a capacity of class '%s' names no resource", class->name);
    struct br_decimal value;
    switch (amount ? br_decimal_parse_suffixed(amount, &value) : BR_DECIMAL_FORM) {
    case BR_DECIMAL_FORM:
        return br_fail(diag, BR_BAD_INPUT,
                       "write a number such as 16 or 0.5, or with a suffix, such as 64GiB",
                       "class '%s' offers '%s' of %s, which is not a number", class->name,
                       amount ? amount : "", resource);
    case BR_DECIMAL_RANGE:
        return br_fail(diag, BR_BAD_INPUT, "choose a unit that keeps amounts within 18 digits",
                       "class '%s' offers '%s' of %s, which has too many digits", class->name,
                       amount, resource);
    case BR_DECIMAL_OK:
        break;
    }
    if (value.mantissa < 0)
        return br_fail(diag, BR_BAD_INPUT, "capacities are 0 or more",
                       "class '%s' offers %s of %s, which is negative", class->name, amount,
                       resource);
    if (br_class_capacity(class, resource))
        return br_fail(diag, BR_BAD_INPUT, "give each resource once per class",
                       "class '%s' offers %s twice", class->name, resource);
    if (br_cluster_shared(cluster, resource))
        return refuse_both(resource, class, diag);
    if (class->capacities == BR_MAX_RESOURCES)
        return br_fail(diag, BR_BAD_INPUT, "merge resources that are demanded together",
                       "%s is one resource more of class '%s' than %u, the most that are planned",
                       resource, class->name, BR_MAX_RESOURCES);
    char *copy = br_arena_text(&cluster->arena, resource);
    struct br_capacity *larger =
        br_realloc(class->capacity, ((size_t) class->capacities + 1) * sizeof *larger);
    if (larger)
        class->capacity = larger;
    if (!copy || !larger)
        return br_fail_memory(diag);
    larger[class->capacities++] = (struct br_capacity){copy, value, br_role_is_in_bytes(amount)};
    return BR_OK;
}

static bool is_offered(const struct br_cluster *cluster, const char *resource)
{
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t k = 0; k < cluster->cls[c].capacities; k++)
            if (strcmp(cluster->cls[c].capacity[k].resource, resource) == 0)
                return true;
    return false;
}

static bool has_name(const char *const *list, uint32_t count, const char *name)
{
    for (uint32_t k = 0; k < count; k++)
        if (strcmp(list[k], name) == 0)
            return true;
    return false;
}

bool br_cluster_is_fungible(const struct br_cluster *cluster, const char *resource)
{
    return has_name(cluster->fungible, cluster->fungibles, resource);
}

/* Adds the name to a list that does not have it yet. */
static enum br_status cluster_add_name(struct br_cluster *cluster, const char *name,
                                       const char ***list, uint32_t *count, struct br_diag *diag)
{
    if (has_name(*list, *count, name))
        return BR_OK;
    char *copy = br_arena_text(&cluster->arena, name);
    const char **larger = br_realloc(*list, ((size_t)*count + 1) * sizeof **list);
    if (larger)
        *list = larger;
    if (!copy || !larger)
        return br_fail_memory(diag);
    larger[(*count)++] = copy;
    return BR_OK;
}

enum br_status br_cluster_set_fungible(struct br_cluster *cluster, const char *resource,
                                       struct br_diag *diag)
{
    BR_NEED(diag, cluster);
    if (!resource || !is_offered(cluster, resource))
        return br_fail(diag, BR_BAD_INPUT, "name a resource that a machine has",
                       "'%.80s' is declared fungible, and no machine has it",
                       resource ? resource : "");
    if (br_role_of(resource) == BR_ROLE_MEMORY || br_role_of(resource) == BR_ROLE_SWAP)
        return br_fail(diag, BR_BAD_INPUT, "declare network or disk fungible",
                       "'%.80s' is memory and cannot be fungible: demand beyond it does not only "
                       "slow down",
                       resource);
    return cluster_add_name(cluster, resource, &cluster->fungible, &cluster->fungibles, diag);
}

bool br_cluster_is_generic(const struct br_cluster *cluster, const char *resource)
{
    return has_name(cluster->generic, cluster->generics, resource);
}

enum br_status br_cluster_set_generic(struct br_cluster *cluster, const char *resource,
                                      struct br_diag *diag)
{
    if (!resource || !is_offered(cluster, resource))
        return br_fail(diag, BR_BAD_INPUT, "name a resource that a machine has",
                       "'%.80s' is declared generic, and no machine has it",
                       resource ? resource : "");
    return cluster_add_name(cluster, resource, &cluster->generic, &cluster->generics, diag);
}

/* ---- The site ---- */

static const int64_t minute_ns = INT64_C(60000000000);

static enum br_status set_name(struct br_cluster *cluster, const char *what, const char *name,
                               const char **to, struct br_diag *diag)
{
    static const char known[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,+-";
    if (!name)
        return BR_OK;
    if (!*name || name[strspn(name, known)])
        return br_fail(diag, BR_BAD_INPUT, "names have letters, digits and _ . , + -",
                       "the cluster's %s is '%.80s'", what, name);
    *to = br_arena_text(&cluster->arena, name);
    return *to ? BR_OK : br_fail_memory(diag);
}

enum br_status br_cluster_set_site(struct br_cluster *cluster, const char *partition,
                                   const char *account, const char *time_factor,
                                   struct br_diag *diag)
{
    int64_t thousandths;
    enum br_status status = set_name(cluster, "partition", partition, &cluster->partition, diag);
    if (!status)
        status = set_name(cluster, "account", account, &cluster->account, diag);
    if (status || !time_factor)
        return status;
    if (br_decimal_parse(time_factor, &cluster->time_factor) ||
        !br_decimal_scale(cluster->time_factor, 3, &thousandths) || thousandths < 1000 ||
        thousandths > 1000000)
        return br_fail(diag, BR_BAD_INPUT, "write a number such as 2 or 1.5",
                       "the cluster's time-factor is '%.40s', and not from 1 to 1000", time_factor);
    return BR_OK;
}

int64_t br_cluster_minutes(const struct br_cluster *cluster, int64_t duration_ns)
{
    int64_t thousandths = 0;
    if (!br_decimal_scale(cluster->time_factor, 3, &thousandths) || thousandths < 1)
        return 0;
    /* Rounded up after each step, so the limit is never too short. */
    int64_t thousandths_of_minute = duration_ns / (minute_ns / 1000) + 1;
    int64_t minutes = thousandths_of_minute < INT64_MAX / 1000000
                          ? (thousandths_of_minute * thousandths + 999999) / 1000000
                          : INT32_MAX;
    return minutes < INT32_MAX ? minutes : INT32_MAX;
}

enum br_status br_cluster_set_network(struct br_cluster *cluster, uint32_t cls, int64_t up,
                                      int64_t down, struct br_diag *diag)
{
    BR_NEED(diag, cluster);
    if (cls >= cluster->classes)
        return br_fail(diag, BR_USAGE, NULL, "there is no class number %" PRIu32, cls);
    if (up < 1 || down < 1 || up > BR_MAX_RATE || down > BR_MAX_RATE)
        return br_fail(diag, BR_BAD_INPUT, "ports have from 1 to 10^15 bytes a second",
                       "class '%s' sends %" PRId64 " and receives %" PRId64 " bytes a second",
                       cluster->cls[cls].name, up, down);
    cluster->cls[cls].up = up;
    cluster->cls[cls].down = down;
    return BR_OK;
}

uint32_t br_cluster_machine_count(const struct br_cluster *cluster)
{
    return cluster ? cluster->machines : 0;
}

bool br_cluster_has_class(const struct br_cluster *cluster, const char *name)
{
    for (uint32_t c = 0; c < cluster->classes; c++)
        if (strcmp(cluster->cls[c].name, name) == 0)
            return true;
    return false;
}

uint32_t br_cluster_machine_class(const struct br_cluster *cluster, uint32_t machine)
{
    uint32_t low = 0, high = cluster->classes;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (cluster->cls[middle].first_machine <= machine)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int br_cluster_machine_name(const struct br_cluster *cluster, uint32_t machine, char *text,
                            size_t size)
{
    size = text ? size : 0;
    if (!cluster || machine >= cluster->machines)
        return snprintf(text, size, "%s", "");
    const struct br_class *class = &cluster->cls[br_cluster_machine_class(cluster, machine)];
    if (class->count == 1)
        return snprintf(text, size, "%s", class->name);
    return snprintf(text, size, "%s[%" PRIu32 "]", class->name, machine - class->first_machine);
}

struct br_decimal br_cluster_capacity(const struct br_cluster *cluster, uint32_t cls,
                                      const char *resource)
{
    const struct br_capacity *capacity = br_class_capacity(&cluster->cls[cls], resource);
    return capacity ? capacity->amount : (struct br_decimal){0, 0};
}

uint32_t br_cluster_find_machine(const struct br_cluster *cluster, const char *name)
{
    const char *bracket = strrchr(name, '[');
    size_t length = bracket ? (size_t)(bracket - name) : strlen(name);
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const struct br_class *class = &cluster->cls[c];
        if (class->count == 1 && strcmp(class->name, name) == 0)
            return class->first_machine;
        if (class->count > 1 && bracket && strlen(class->name) == length &&
            strncmp(class->name, name, length) == 0) {
            char *end;
            unsigned long index = strtoul(bracket + 1, &end, 10);
            if (end != bracket + 1 && strcmp(end, "]") == 0 && index < class->count)
                return class->first_machine + (uint32_t)index;
        }
    }
    return UINT32_MAX;
}

static uint64_t cluster_mix(uint64_t sum, uint64_t value)
{
    return br_hash_number(sum ^ value);
}

static uint64_t mix_amount(uint64_t sum, const char *resource, struct br_decimal amount)
{
    sum = cluster_mix(sum, br_hash_text(resource));
    return cluster_mix(cluster_mix(sum, (uint64_t)amount.mantissa), (uint64_t)amount.exponent);
}

static uint64_t mix_span(uint64_t sum, const struct br_span_of_machines *span)
{
    sum = cluster_mix(sum, (uint64_t)span->first << 32 | span->count);
    return cluster_mix(cluster_mix(sum, (uint64_t)span->from_ns), (uint64_t)span->to_ns);
}

/* Shared resources and the calendar, if the cluster has them. */
static uint64_t mix_rest(uint64_t sum, const struct br_cluster *cluster)
{
    const struct br_calendar *calendar = cluster->calendar;
    for (uint32_t k = 0; k < cluster->shareds; k++)
        sum = mix_amount(sum, cluster->shared[k].resource, cluster->shared[k].amount);
    for (uint32_t k = 0; calendar && k < calendar->unavailables; k++)
        sum = mix_span(sum, &calendar->unavailable[k].span);
    for (uint32_t k = 0; calendar && k < calendar->changes; k++)
        sum = mix_amount(mix_span(sum, &calendar->change[k].span), calendar->change[k].resource,
                         calendar->change[k].amount);
    return sum;
}

uint64_t br_cluster_fingerprint(const struct br_cluster *cluster)
{
    uint64_t sum = cluster_mix(1, cluster->classes);
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const struct br_class *cls = &cluster->cls[c];
        sum = cluster_mix(cluster_mix(sum, br_hash_text(cls->name)), cls->count);
        if (cluster->speeds)
            sum = mix_amount(sum, "", cls->speed);
        for (uint32_t k = 0; k < cls->capacities; k++)
            sum = mix_amount(sum, cls->capacity[k].resource, cls->capacity[k].amount);
    }
    sum = mix_rest(sum, cluster);
    return sum ? sum : 1;
}
