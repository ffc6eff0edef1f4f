/* The cluster of the command line: "cpu=16,mem=64GiB" on so many equal machines, and
 * "licence=5,scratch=2TiB" that they share. */
#include "parsers/jobs/native.h"
#include "parsers/text/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

/* A call that adds an amount of a resource to the cluster. */
typedef enum br_status add_amount(struct br_cluster *cluster, const char *resource,
                                  const char *amount, struct br_diag *diag);

static enum br_status add_capacity(struct br_cluster *cluster, const char *resource,
                                   const char *amount, struct br_diag *diag)
{
    return br_cluster_add_capacity(cluster, 0, resource, amount, diag);
}

/* One "resource=amount" that begins at `item` and is NUL-terminated. */
static enum br_status add_item(struct br_cluster *cluster, char *item, add_amount *add,
                               struct br_diag *diag)
{
    char *equals = strchr(item, '='), plain[BR_DECIMAL_TEXT];
    for (char *end = equals ? equals : item; end > item && end[-1] == ' ';)
        *--end = 0;
    if (!equals || equals == item || !*item)
        return br_fail(diag, BR_BAD_INPUT, "write resource=amount, such as cpu=16",
                       "'%.80s' is not a capacity", item);
    *equals = 0;
    if (!br_text_is_plain(item))
        return br_fail(diag, BR_BAD_INPUT, "use printable characters in UTF-8",
                       "the name of the resource '%.80s' has others", item);
    enum br_status status = br_value_amount(equals + 1, "the amount", item, plain, diag);
    return status ? status : add(cluster, item, equals + 1, diag);
}

static enum br_status add_items(struct br_cluster *cluster, const char *text, add_amount *add,
                                struct br_diag *diag)
{
    char *copy = strdup(text);
    enum br_status status = copy ? BR_OK : br_fail_memory(diag);
    for (char *item = copy; !status && item;) {
        char *comma = strchr(item, ',');
        if (comma)
            *comma = 0;
        while (*item == ' ')
            item++;
        br_value_place(diag, (struct br_pos){1, (uint32_t)(item - copy) + 1});
        status = add_item(cluster, item, add, diag);
        item = comma ? comma + 1 : NULL;
    }
    free(copy);
    if (status)
        return status;
    br_diag_file(diag, NULL);
    br_value_place(diag, (struct br_pos){0, 0});
    return BR_OK;
}

enum br_status br_parse_capacity(uint32_t machines, const char *capacity,
                                 struct br_cluster **cluster, struct br_diag *diag)
{
    *cluster = NULL;
    br_diag_file(diag, "--capacity");
    br_value_place(diag, (struct br_pos){0, 0});
    struct br_cluster *made = br_cluster_create(NULL);
    enum br_status status = made ? BR_OK : br_fail_memory(diag);
    if (!status)
        status = br_cluster_add_class(made, "m", machines, NULL, diag);
    if (!status)
        status = add_items(made, capacity, add_capacity, diag);
    if (status) {
        br_cluster_destroy(made);
        return status;
    }
    *cluster = made;
    return BR_OK;
}

enum br_status br_parse_shared(const char *shared, struct br_cluster *cluster, struct br_diag *diag)
{
    br_diag_file(diag, "--shared");
    return add_items(cluster, shared, br_cluster_add_shared, diag);
}
