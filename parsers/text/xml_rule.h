/* The rules of a form of our own: which elements stand in which, and which attributes they take.
 *
 * A name in no namespace, or in one of ours, that is not known there is a fault: it is a slip of
 * the pen, or of a newer version, and leaving it out would change what the file says. What is in a
 * namespace of others is theirs, and is left out. */
#ifndef BR_PARSERS_TEXT_XML_RULE_H
#define BR_PARSERS_TEXT_XML_RULE_H

#include "parsers/text/xml.h"

struct br_xml_rule {
    const char *name, *parent; /* "": it is the root */
    const char *space;         /* its namespace */
    const char *other_space;   /* another one that it may be in; NULL: none */
    const char *attribute[12]; /* without namespace; NULL ends them */
    enum br_status (*start)(void *context, struct br_xml *xml);
};

/* Applies the rule for the element in its parent: checks its attributes and calls `start`. *rule is
 * NULL where the element was of others and is left out. BR_BAD_INPUT for what is not known. */
enum br_status br_xml_apply(const struct br_xml_rule *rules, size_t count, const char *parent,
                            void *context, struct br_xml *xml, const struct br_xml_rule **rule);

#endif
