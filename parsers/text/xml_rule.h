/* The rules of our own forms: which elements each element may hold, and their attributes.
 *
 * An unknown name in no namespace, or in one of ours, is a fault: it is a typing error, or from a
 * newer version, and skipping it would change the meaning of the file. Names in foreign namespaces
 * are skipped. */
#ifndef BR_PARSERS_TEXT_XML_RULE_H
#define BR_PARSERS_TEXT_XML_RULE_H

#include "parsers/text/xml.h"

struct br_xml_rule {
    const char *name, *parent; /* "": the root */
    const char *space;         /* its namespace */
    const char *other_space;   /* another one that it may be in; NULL: none */
    const char *attribute[12]; /* without namespace; NULL ends them */
    enum br_status (*start)(void *context, struct br_xml *xml);
};

/* Applies the rule for the element in its parent: checks its attributes and calls `start`. *rule is
 * NULL if the element was foreign and skipped. BR_BAD_INPUT for unknown names. */
enum br_status br_xml_apply(const struct br_xml_rule *rules, size_t count, const char *parent,
                            void *context, struct br_xml *xml, const struct br_xml_rule **rule);

#endif
