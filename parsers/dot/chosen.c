/* An attribute is a number, perhaps with a unit. A label is a text for people: in it the number
 * with a unit that fits is meant, and there may be only one. */
#include "parsers/dot/chosen.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/roles.h"
#include "base/text/text.h"
#include "parsers/text/value.h"

/* Units of time, in 10^exponent seconds. */
static const struct time_unit {
    const char *name;
    int32_t times, exponent;
} time_units[] = {
    {"ns", 1, -9},      {"us", 1, -6},      {"\xc2\xb5s", 1, -6}, {"\xce\xbcs", 1, -6},
    {"ms", 1, -3},      {"s", 1, 0},        {"sec", 1, 0},        {"secs", 1, 0},
    {"second", 1, 0},   {"seconds", 1, 0},  {"m", 60, 0},         {"min", 60, 0},
    {"mins", 60, 0},    {"minute", 60, 0},  {"minutes", 60, 0},   {"h", 3600, 0},
    {"hour", 3600, 0},  {"hours", 3600, 0}, {"d", 86400, 0},      {"day", 86400, 0},
    {"days", 86400, 0},
};

enum { NUMBER_MOST = 40, HINT_MOST = 200 };

/* A number with a unit behind it. */
struct quantity {
    char number[NUMBER_MOST];
    char unit[NUMBER_MOST];
};

static bool is_unit_byte(char c)
{
    return isalpha((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Reads the quantity at *p and moves *p past it, or past the number alone if no unit follows. */
static bool read_quantity(const char **p, struct quantity *quantity)
{
    const char *from = *p;
    size_t digits = strspn(from, "0123456789");
    if (from[digits] == '.' && isdigit((unsigned char)from[digits + 1]))
        digits += 1 + strspn(from + digits + 1, "0123456789");
    const char *unit = from + digits;
    *p = unit;
    unit += strspn(unit, " ");
    size_t length = 0;
    while (is_unit_byte(unit[length]))
        length++;
    if (length == 0 || digits >= NUMBER_MOST || length >= NUMBER_MOST)
        return false;
    snprintf(quantity->number, sizeof quantity->number, "%.*s", (int)digits, from);
    snprintf(quantity->unit, sizeof quantity->unit, "%.*s", (int)length, unit);
    *p = unit + length;
    return true;
}

/* The next digit that begins a number of its own, not one within a word such as conv2d. */
static const char *next_number(const char *text, const char *p)
{
    for (; *p; p++) {
        const bool inside = p > text && (isalnum((unsigned char)p[-1]) || strchr("_.-+", p[-1]));
        if (!inside && isdigit((unsigned char)*p))
            return p;
        while (isdigit((unsigned char)p[0]) && p[1])
            p++;
    }
    return NULL;
}

static const struct time_unit *find_time_unit(const char *name)
{
    for (size_t k = 0; k < sizeof time_units / sizeof *time_units; k++)
        if (strcmp(time_units[k].name, name) == 0)
            return &time_units[k];
    return NULL;
}

/* Adds the quantity to *ns; false if the sum is too large. */
static bool add_time(const struct quantity *quantity, const struct time_unit *unit, int64_t *ns)
{
    struct br_decimal value;
    int64_t part;
    return !br_decimal_parse_nearest(quantity->number, &value) &&
           !__builtin_mul_overflow(value.mantissa, unit->times, &value.mantissa) &&
           br_decimal_quotient_ns(value, (struct br_decimal){1, -unit->exponent}, &part) &&
           !__builtin_add_overflow(*ns, part, ns);
}

/* Reads a time such as "340 ms" or "1m30s" from the text; *times counts those in it. False if one
 * is too large. */
static bool find_time(const char *text, int64_t *ns, uint32_t *times)
{
    const char *p = text;
    *times = 0;
    *ns = 0;
    while ((p = next_number(text, p)) != NULL) {
        struct quantity quantity;
        int64_t sum = 0;
        bool timed = false;
        while (isdigit((unsigned char)*p)) { /* the parts of one time */
            const struct time_unit *unit =
                read_quantity(&p, &quantity) ? find_time_unit(quantity.unit) : NULL;
            if (!unit)
                break;
            timed = true;
            if (!add_time(&quantity, unit, &sum))
                return false;
            if (*p == ' ' && isdigit((unsigned char)p[1]))
                p++;
        }
        if (timed && ++*times == 1)
            *ns = sum;
    }
    return true;
}

/* Does the unit count the resource: "cores" cpu, "MiB" memory, "gpus" gpu? */
static bool counts_resource(const char *unit, const char *resource, bool *suffix)
{
    static const char *const cores[] = {"core", "cores", "cpus", "thread", "threads"};
    static const char *const bytes[] = {"B",  "KiB", "MiB", "GiB", "TiB", "PiB",
                                        "kB", "KB",  "MB",  "GB",  "TB"};
    const size_t length = strlen(resource);
    *suffix = false;
    if (strncmp(unit, resource, length) == 0 && (!unit[length] || strcmp(unit + length, "s") == 0))
        return true;
    for (size_t k = 0; br_role_of(resource) == BR_ROLE_CPU && k < sizeof cores / sizeof *cores; k++)
        if (strcmp(unit, cores[k]) == 0)
            return true;
    for (size_t k = 0; br_role_of(resource) != BR_ROLE_CPU && k < sizeof bytes / sizeof *bytes; k++)
        *suffix |= strcmp(unit, bytes[k]) == 0;
    return *suffix;
}

/* Reads an amount of the resource from the text; *amounts counts those in it. */
static void find_amount(const char *text, const char *resource, char amount[static 2 * NUMBER_MOST],
                        uint32_t *amounts)
{
    const char *p = text;
    *amounts = 0;
    while ((p = next_number(text, p)) != NULL) {
        struct quantity quantity;
        bool suffix;
        if (read_quantity(&p, &quantity) && counts_resource(quantity.unit, resource, &suffix) &&
            ++*amounts == 1)
            snprintf(amount, 2 * NUMBER_MOST, "%s%s", quantity.number, suffix ? quantity.unit : "");
    }
}

/* A copy of the value in which line breaks of the DOT language are blanks; NULL: memory is out. */
static char *plain_value(const char *value)
{
    char *copy = strdup(value);
    for (char *p = copy; p && *p; p++)
        if (*p == '\\' && p[1] && strchr("nlr", p[1]))
            p[0] = p[1] = '\n';
    return copy;
}

/* Is the attribute a text for people, which need not say the number? */
static bool is_for_people(const Agsym_t *symbol)
{
    return strcmp(symbol->name, "label") == 0 || strcmp(symbol->name, "xlabel") == 0 ||
           strcmp(symbol->name, "tooltip") == 0;
}

static enum br_status refuse_two(const char *owner, const Agsym_t *symbol, const char *what,
                                 struct br_diag *diag)
{
    return br_fail(diag, BR_BAD_INPUT, "choose an attribute that has one alone",
                   "'%.80s' of %s has more than one %s", symbol->name, owner, what);
}

enum br_status br_dot_chosen_duration(struct br_dot_reader *reader, Agnode_t *node,
                                      const char *owner, int64_t *ns, struct br_diag *diag)
{
    struct br_dot_chosen *chosen = &reader->chosen;
    const char *value = chosen->duration ? agxget(node, chosen->duration) : "";
    uint32_t times = 0;
    int64_t found = 0;
    if (!chosen->duration)
        return BR_OK;
    char *text = plain_value(value);
    if (!text)
        return br_fail_memory(diag);
    enum br_status status = BR_OK;
    if (!find_time(text, &found, &times))
        status =
            br_fail(diag, BR_BAD_INPUT, "write a time of up to 73 years",
                    "'%.80s' of %s has a time that is too large", chosen->duration->name, owner);
    else if (times > 1)
        status = refuse_two(owner, chosen->duration, "time", diag);
    else if (times == 1)
        *ns = found;
    else if (*text && (!is_for_people(chosen->duration) || text[strspn(text, "0123456789.")] == 0))
        status = br_value_seconds(text, chosen->duration->name, owner, ns, diag);
    else
        chosen->untimed++;
    free(text);
    return status;
}

enum br_status br_dot_chosen_demands(const struct br_dot_reader *reader, Agnode_t *node,
                                     uint32_t stage, const char *owner, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < reader->chosen.demands && !status; k++) {
        const struct br_dot_chosen_demand *demand = &reader->chosen.demand[k];
        char amount[2 * NUMBER_MOST], plain[BR_DECIMAL_TEXT];
        char *text = plain_value(agxget(node, demand->symbol));
        uint32_t amounts = 0;
        if (!text)
            return br_fail_memory(diag);
        find_amount(text, demand->resource, amount, &amounts);
        const char *written = amounts ? amount : text;
        if (amounts > 1)
            status = refuse_two(owner, demand->symbol, demand->resource, diag);
        else if (amounts == 1 || (*text && !is_for_people(demand->symbol)))
            status = br_value_amount(written, demand->symbol->name, owner, plain, diag);
        else
            written = NULL;
        if (!status && written)
            status = br_dag_add_demand(reader->dag, stage, demand->resource, written, diag);
        free(text);
    }
    return status;
}

enum br_status br_dot_chosen_doubt(const struct br_dot_reader *reader, struct br_diag *diag)
{
    const struct br_dot_chosen *chosen = &reader->chosen;
    if (!chosen->duration || !chosen->untimed)
        return BR_OK;
    return br_dag_add_doubt(reader->dag, diag, "%" PRIu32 " nodes have no time in '%.80s'",
                            chosen->untimed, chosen->duration->name);
}

static enum br_status find_symbol(const struct br_dot_reader *reader, const char *name,
                                  const char *option, Agsym_t **symbol, struct br_diag *diag)
{
    char hint[HINT_MOST] = "nodes have no attributes";
    size_t used = 0;
    *symbol = agattr(reader->graph, AGNODE, (char *)name, NULL);
    if (*symbol)
        return BR_OK;
    for (Agsym_t *s = NULL; (s = agnxtattr(reader->graph, AGNODE, s)) && used < sizeof hint - 1;)
        if (br_text_is_plain(s->name))
            used += (size_t)snprintf(hint + used, sizeof hint - used, "%s%s",
                                     used ? ", " : "nodes have ", s->name);
    return br_fail(diag, BR_USAGE, hint, "%s: no node has the attribute '%.80s'", option, name);
}

/* "cpu=threads" */
static enum br_status chosen_add_demand(struct br_dot_reader *reader, char *item,
                                        struct br_diag *diag)
{
    struct br_dot_chosen *chosen = &reader->chosen;
    char *name = strchr(item, '=');
    if (!name || name == item || !name[1])
        return br_fail(diag, BR_USAGE, "write --demand cpu=threads,mem=rss",
                       "--demand: '%.80s' is no resource and attribute", item);
    *name++ = 0;
    for (uint32_t r = 0; r < reader->dag->resources; r++)
        if (strcmp(reader->dag->resource[r].name, item) == 0)
            return br_fail(diag, BR_USAGE, "leave it out", "--demand: the resource '%.80s' is %s",
                           item, r < reader->declared ? "declared by the graph" : "there twice");
    assert(chosen->demand);
    struct br_dot_chosen_demand *demand = &chosen->demand[chosen->demands++];
    demand->resource = item;
    enum br_status status = find_symbol(reader, name, "--demand", &demand->symbol, diag);
    return status ? status : br_dag_add_resource(reader->dag, item, NULL, diag);
}

enum br_status br_dot_chosen_init(struct br_dot_reader *reader, struct br_diag *diag)
{
    struct br_dot_chosen *chosen = &reader->chosen;
    const struct br_parse_options *options = reader->options;
    enum br_status status = BR_OK;
    reader->declared = reader->dag->resources;
    if (options->duration)
        status = find_symbol(reader, options->duration, "--duration", &chosen->duration, diag);
    if (status || !options->demands)
        return status;
    size_t items = 1;
    for (const char *p = options->demands; *p; p++)
        items += *p == ',';
    chosen->text = strdup(options->demands);
    chosen->demand = calloc(items, sizeof *chosen->demand);
    if (!chosen->text || !chosen->demand)
        return br_fail_memory(diag);
    char *rest = chosen->text;
    for (char *item; !status && (item = strsep(&rest, ","));)
        status = chosen_add_demand(reader, item, diag);
    return status;
}

void br_dot_chosen_finish(struct br_dot_chosen *chosen)
{
    free(chosen->text);
    free(chosen->demand);
    *chosen = (struct br_dot_chosen){0};
}
