/* EXPLAIN (FORMAT XML): <explain> with queries; and several such texts one after the other. Names
 * have dashes where other forms have blanks. */
#include <string.h>

#include "parsers/queries/explain.h"
#include "parsers/text/xml.h"

struct reader {
    struct br_explain *explain;
    uint32_t depth[BR_QUERY_DEPTH]; /* by open node: of its <Plan> */
    uint32_t open, query_depth;     /* depth 0: no query is open */
    bool in_trigger, in_serialization;
};

static enum br_status queries_xml_on_start(void *context, struct br_xml *xml)
{
    struct reader *reader = context;
    if (xml->depth == 1 && strcmp(xml->name, "explain") != 0)
        return br_fail(xml->diag, BR_BAD_INPUT, "write it by EXPLAIN (ANALYZE, FORMAT XML)",
                       "the root element is <%.80s>, not <explain>", xml->name);
    /* auto_explain writes what belongs to its one query without <Query> around it. */
    bool bare = !reader->query_depth && xml->depth == 2 &&
                (strcmp(xml->name, "Plan") == 0 || strcmp(xml->name, "Query-Text") == 0);
    if (bare || (!reader->query_depth && strcmp(xml->name, "Query") == 0)) {
        reader->query_depth = xml->depth - bare;
        enum br_status status = br_explain_begin_query(reader->explain);
        if (status || !bare)
            return status;
    }
    if (reader->query_depth && !reader->open && strcmp(xml->name, "Trigger") == 0)
        reader->in_trigger = true;
    if (reader->query_depth && !reader->open && strcmp(xml->name, "Serialization") == 0)
        reader->in_serialization = true;
    if (strcmp(xml->name, "Plan") == 0) {
        enum br_status status = br_explain_begin_node(reader->explain, xml->pos);
        if (!status)
            reader->depth[reader->open++] = xml->depth;
        return status;
    }
    if (reader->query_depth)
        br_xml_keep_text(xml);
    return BR_OK;
}

static enum br_status queries_xml_on_end(void *context, struct br_xml *xml, const char *text)
{
    struct reader *reader = context;
    char name[64];
    size_t length = strlen(xml->name);
    if (reader->open && xml->depth == reader->depth[reader->open - 1]) {
        reader->open--;
        return br_explain_end_node(reader->explain);
    }
    if (reader->query_depth && xml->depth == reader->query_depth) {
        reader->query_depth = 0;
        return br_explain_end_query(reader->explain, xml->pos);
    }
    if (reader->in_trigger && strcmp(xml->name, "Trigger") == 0)
        reader->in_trigger = false;
    if (strcmp(xml->name, "Serialization") == 0)
        reader->in_serialization = false;
    if (!text || !reader->query_depth)
        return BR_OK;
    length = length < sizeof name ? length : sizeof name - 1; /* names that count are shorter */
    for (size_t i = 0; i < length; i++)
        name[i] = (char)(xml->name[i] == '-' ? ' ' : xml->name[i]);
    name[length] = 0;
    if (reader->in_serialization)
        return br_explain_summary(reader->explain, xml->pos,
                                  strcmp(name, "Time") == 0 ? "Serialization Time" : name, text);
    if (reader->in_trigger)
        return br_explain_trigger(reader->explain, xml->pos, name, text);
    if (!reader->open && xml->depth == reader->query_depth + 1)
        return br_explain_summary(reader->explain, xml->pos, name, text);
    if (!reader->open) /* with its own name, which has no dashes */
        return br_explain_setting(reader->explain, xml->pos, xml->name, text);
    return br_explain_property(reader->explain, xml->pos, name, text,
                               xml->depth != reader->depth[reader->open - 1] + 1);
}

static void queries_xml_blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

/* One text of several: what ends one and begins the next is blanked out. */
static void queries_xml_join(char *text)
{
    static const char end[] = "</explain>";
    char *at = strstr(text, end);
    while (at) {
        const char *next = at + sizeof end - 1;
        next += strspn(next, " \t\r\n");
        const char *close = strncmp(next, "<explain", 8) == 0 ? strchr(next, '>') : NULL;
        if (close && close[-1] != '/')
            queries_xml_blank(at, close + 1);
        at = strstr(at + 1, end);
    }
}

enum br_status br_read_explain_xml(struct br_explain *explain, char *text, size_t size)
{
    static const struct br_xml_handler handler = {.start = queries_xml_on_start,
                                                  .end = queries_xml_on_end};
    struct reader reader = {.explain = explain};
    queries_xml_join(text);
    struct br_source source = br_source_of_text(text, size);
    return br_xml_read(&source, &handler, &reader, explain->diag);
}
