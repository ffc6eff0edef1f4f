/* Finds the rule, and names similar words if there is none. */
#include "parsers/text/xml_rule.h"

#include <stdio.h>
#include <string.h>

#include "base/text/options.h"

static const char of_others[] = "give foreign elements and attributes a namespace of their own";

static enum br_status xml_rule_fail_unknown(struct br_xml *xml, const struct br_xml_rule *rules,
                                            size_t count, const char *parent)
{
    struct br_suggestion suggestion = {xml->name, NULL, 0};
    char hint[100];
    snprintf(hint, sizeof hint, "%s", of_others);
    for (size_t r = 0; r < count; r++) {
        if (strcmp(rules[r].name, xml->name) == 0) {
            snprintf(hint, sizeof hint, "it belongs in <%.30s>", rules[r].parent);
            return br_fail(xml->diag, BR_BAD_INPUT, hint, "<%.60s> cannot stand in <%.30s>",
                           xml->name, parent);
        }
        if (strcmp(rules[r].parent, parent) == 0)
            br_suggestion_offer(&suggestion, rules[r].name);
    }
    if (suggestion.best)
        snprintf(hint, sizeof hint, "did you mean <%.30s>?", suggestion.best);
    return br_fail(xml->diag, BR_BAD_INPUT, hint, "unknown element <%.60s> in <%.30s>", xml->name,
                   parent);
}

static enum br_status check_attributes(const struct br_xml_rule *rule, struct br_xml *xml)
{
    const char *space, *name = br_xml_stray_attribute(xml, rule->attribute, &space);
    struct br_suggestion suggestion = {name, NULL, 0};
    char hint[100];
    if (!name)
        return BR_OK;
    if (*space)
        return br_fail(xml->diag, BR_BAD_INPUT, "write attributes of this form without a prefix",
                       "<%.30s> has an attribute '%.60s' in the namespace '%.60s'", rule->name,
                       name, space);
    for (size_t a = 0; rule->attribute[a]; a++)
        br_suggestion_offer(&suggestion, rule->attribute[a]);
    snprintf(hint, sizeof hint, suggestion.best ? "did you mean '%.30s'?" : "%.99s",
             suggestion.best ? suggestion.best : of_others);
    return br_fail(xml->diag, BR_BAD_INPUT, hint, "<%.30s> has an unknown attribute '%.60s'",
                   rule->name, name);
}

enum br_status br_xml_apply(const struct br_xml_rule *rules, size_t count, const char *parent,
                            void *context, struct br_xml *xml, const struct br_xml_rule **rule)
{
    *rule = NULL;
    if (*xml->space && !br_xml_is_our_space(xml->space)) {
        br_xml_skip(xml);
        return BR_OK;
    }
    for (size_t r = 0; r < count && !*rule; r++)
        if (strcmp(rules[r].name, xml->name) == 0 && strcmp(rules[r].parent, parent) == 0)
            *rule = &rules[r];
    if (!*rule)
        return xml_rule_fail_unknown(xml, rules, count, parent);
    const struct br_xml_rule *found = *rule;
    if (!*xml->space)
        return br_fail(xml->diag, BR_BAD_INPUT, "give it the prefix of its parent, or that none",
                       "<%.30s> is not in the namespace of <%.30s>", xml->name, parent);
    if (strcmp(xml->space, found->space) != 0 &&
        (!found->other_space || strcmp(xml->space, found->other_space) != 0))
        return br_fail(xml->diag, BR_BAD_INPUT, "give it the prefix of its parent, or that none",
                       "<%.30s> is in the namespace '%.60s'", xml->name, xml->space);
    enum br_status status = check_attributes(found, xml);
    return status ? status : found->start(context, xml);
}
