/* XML as a stream of elements, on libxml2: memory does not grow with the file, every element has
 * its line and column, and nothing but the given source is ever opened. Document type
 * declarations are refused, and with them entities of all kinds. */
#ifndef BR_PARSERS_TEXT_XML_H
#define BR_PARSERS_TEXT_XML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/diag.h"
#include "parsers/text/source.h"

#define BR_JOB_SPACE "urn:bigrocks:job:1"
#define BR_CLUSTER_SPACE "urn:bigrocks:cluster:1"
#define BR_WORKLOAD_SPACE "urn:bigrocks:workload:1"

/* The element passed to a handler. Texts are borrowed until the handler returns. */
struct br_xml {
    const char *name;     /* without prefix */
    const char *space;    /* namespace; "" if there is none */
    uint32_t depth;       /* 1 for the root */
    struct br_pos pos;    /* of its "<" */
    struct br_diag *diag; /* at that place already */
};

/* A status other than BR_OK ends the reading with that status. `end` is called for every element
 * that `start` accepted and did not skip; text is NULL if it was not kept. */
struct br_xml_handler {
    enum br_status (*start)(void *context, struct br_xml *xml);
    enum br_status (*end)(void *context, struct br_xml *xml, const char *text);
    bool only_known; /* text that is not kept is a fault, unless it is blank */
};

/* One element has at most this many attributes, and at most this many namespaces are in force at a
 * place: libxml2 compares each with each. */
enum { BR_XML_ATTRIBUTES = 10000, BR_XML_SPACES = 256 };

/* Value of an attribute without prefix, NULL if it is absent. In `start` only. */
const char *br_xml_attribute(struct br_xml *xml, const char *name);
/* The first attribute in no namespace that is not among the known ones, which end with NULL, or
 * that is in one of our namespaces, which *space names; NULL if there is none. In `start` only. */
const char *br_xml_stray_attribute(struct br_xml *xml, const char *const *known,
                                   const char **space);
bool br_xml_is_our_space(const char *space);
/* Skips the element with all its contents; no `end` follows. In `start` only. */
void br_xml_skip(struct br_xml *xml);
/* Keeps the element's own text (up to 1 MiB) for `end`. In `start` only. */
void br_xml_keep_text(struct br_xml *xml);

enum br_status br_xml_read(struct br_source *source, const struct br_xml_handler *handler,
                           void *context, struct br_diag *diag);

#endif
