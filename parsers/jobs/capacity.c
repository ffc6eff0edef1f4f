/* The cluster of the command line: "cpu=16,mem=64GiB" on so many equal machines. */
#include "parsers/jobs/native.h"
#include "parsers/text/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

/* One "resource=amount" that begins at `item` and is NUL-terminated. */
static enum br_status add_item(struct br_cluster *cluster, char *item, struct br_diag *diag)
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
    return status ? status : br_cluster_add_capacity(cluster, 0, item, equals + 1, diag);
}

enum br_status br_parse_capacity(uint32_t machines, const char *capacity,
                                 struct br_cluster **cluster, struct br_diag *diag)
{
    *cluster = NULL;
    br_diag_file(diag, "--capacity");
    br_value_place(diag, (struct br_pos){0, 0});
    struct br_cluster *made = br_cluster_create(NULL);
    char *copy = strdup(capacity);
    enum br_status status = made && copy ? BR_OK : br_fail_memory(diag);
    if (!status)
        status = br_cluster_add_class(made, "m", machines, NULL, diag);
    for (char *item = copy; !status && item;) {
        char *comma = strchr(item, ',');
        if (comma)
            *comma = 0;
        while (*item == ' ')
            item++;
        br_value_place(diag, (struct br_pos){1, (uint32_t)(item - copy) + 1});
        status = add_item(made, item, diag);
        item = comma ? comma + 1 : NULL;
    }
    free(copy);
    if (status) {
        br_cluster_destroy(made);
        return status;
    }
    br_diag_file(diag, NULL);
    br_value_place(diag, (struct br_pos){0, 0});
    *cluster = made;
    return BR_OK;
}
