#include "planner/model/alternatives.h"

#include "base/collections/memory.h"

void br_alternatives_destroy(struct br_alternatives *alternatives)
{
    if (!alternatives)
        return;
    br_free(alternatives->given);
    br_free(alternatives->amount);
    br_free(alternatives->classes);
    br_free(alternatives->duration);
    br_free(alternatives->alternative);
    br_free(alternatives->stage_first);
    br_free(alternatives->demand);
    br_free(alternatives->consumed);
    br_free(alternatives->class_name);
    br_free(alternatives->duration_ns);
    br_free(alternatives);
}
