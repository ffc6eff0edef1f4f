#include "parsers/dot/ways.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/dot/held.h"
#include "parsers/text/value.h"

static const char blanks[] = " \t\r\n", consume_word[] = "consume:";

/* The next word; NULL at the end. */
static char *word_of(char **rest)
{
    char *word;
    do
        word = strsep(rest, blanks);
    while (word && !*word);
    return word;
}

static enum br_status refuse_alternatives(const char *text, const char *owner, struct br_diag *diag)
{
    return br_fail(diag, BR_BAD_INPUT,
                   "write alternatives such as \"one duration=90 cpu=1; gpu class=gpu-node "
                   "duration=9 gpu=1 consume:money=3\"",
                   "alternatives '%.80s' of %s are no list of ids and what they say", text, owner);
}

/* "0:5,2:7" of one alternative. */
struct timed {
    struct br_dag *dag;
    uint32_t stage, alternative;
};

static enum br_status add_durations(const struct timed *way, char *text, const char *owner,
                                    struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (char *item, *rest = text; !status && (item = strsep(&rest, ","));) {
        char *colon = strchr(item, ':');
        uint32_t index;
        int64_t ns;
        if (!colon)
            return br_fail(diag, BR_BAD_INPUT, "write durations=7:61,9:12.5",
                           "durations '%.80s' of %s give no index and time", item, owner);
        *colon = '\0';
        status = br_value_count(item, "index", owner, &index, diag);
        if (!status)
            status = br_value_seconds(colon + 1, "duration", owner, &ns, diag);
        if (!status)
            status = br_dag_set_alternative_duration(way->dag, way->stage, way->alternative, index,
                                                     ns, diag);
    }
    return status;
}

/* "cpu=4", "class=a,b", "consume:money=3", "durations=0:5". */
static enum br_status add_said(const struct timed *way, char *name, char *value, const char *owner,
                               struct br_diag *diag)
{
    char plain[BR_DECIMAL_TEXT];
    if (strcmp(name, "duration") == 0)
        return BR_OK; /* has been read before */
    if (strcmp(name, "durations") == 0)
        return add_durations(way, value, owner, diag);
    if (strcmp(name, "class") == 0) {
        for (char *comma = value; (comma = strchr(comma, ','));)
            *comma = ' ';
        return br_dag_set_classes(way->dag, way->stage, way->alternative, value, diag);
    }
    const bool consumed = strncmp(name, consume_word, sizeof consume_word - 1) == 0;
    enum br_status status = br_value_amount(value, name, owner, plain, diag);
    if (status)
        return status;
    return consumed ? br_dag_add_consumed(way->dag, way->stage, way->alternative,
                                          name + sizeof consume_word - 1, value, diag)
                    : br_dag_add_alternative_demand(way->dag, way->stage, way->alternative, name,
                                                    value, diag);
}

/* One of them, in two passes: its duration is known when it is added. */
static enum br_status add_alternative(struct br_dag *dag, uint32_t stage, char *text,
                                      const char *owner, struct br_diag *diag)
{
    struct timed way = {dag, stage, 0};
    int64_t ns = BR_STAGE_DURATION;
    enum br_status status = BR_OK;
    for (int pass = 0; pass < 2 && !status; pass++) {
        char *copy = strdup(text), *rest = copy;
        char *id = copy ? word_of(&rest) : NULL;
        if (!id)
            status = copy ? refuse_alternatives(text, owner, diag) : br_fail_memory(diag);
        else if (pass)
            status = br_dag_add_alternative(dag, stage, id, ns, &way.alternative, diag);
        for (char *word; !status && (word = word_of(&rest));) {
            char *equal = strchr(word, '=');
            if (!equal || equal == word)
                status = refuse_alternatives(text, owner, diag);
            else
                *equal = '\0';
            if (!status && pass)
                status = add_said(&way, word, equal + 1, owner, diag);
            else if (!status && strcmp(word, "duration") == 0)
                status = br_value_seconds(equal + 1, "duration", owner, &ns, diag);
        }
        free(copy);
    }
    return status;
}

enum br_status br_dot_add_alternatives(struct br_dag *dag, uint32_t stage, const char *text,
                                       const char *owner, struct br_diag *diag)
{
    char *copy = strdup(text), *rest = copy;
    enum br_status status = copy ? BR_OK : br_fail_memory(diag);
    for (char *item; !status && (item = strsep(&rest, ";"));)
        status = add_alternative(dag, stage, item, owner, diag);
    free(copy);
    return status;
}

enum br_status br_dot_add_consumes(struct br_dag *dag, uint32_t stage, const char *text,
                                   const char *owner, struct br_diag *diag)
{
    char *copy = strdup(text), *rest = copy, plain[BR_DECIMAL_TEXT];
    enum br_status status = copy ? BR_OK : br_fail_memory(diag);
    for (char *word; !status && (word = word_of(&rest));) {
        char *equal = strchr(word, '=');
        if (!equal || equal == word) {
            status =
                br_fail(diag, BR_BAD_INPUT, "write what is consumed as \"money=3 runs=1\"",
                        "consumes '%.80s' of %s is no list of resources and amounts", text, owner);
            break;
        }
        *equal = '\0';
        status = br_value_amount(equal + 1, word, owner, plain, diag);
        if (!status)
            status = br_dag_add_consumed(dag, stage, BR_WHOLE_STAGE, word, equal + 1, diag);
    }
    free(copy);
    return status;
}
