/* The faults of a plan under check, in words. */
#include <stdarg.h>
#include <stdio.h>

#include "planner/check/verify.h"

struct br_check_name br_check_task_name(const struct br_plan_check *check, uint32_t task)
{
    struct br_check_name name;
    br_dag_task_id(check->dag, task, name.text, sizeof name.text);
    return name;
}

struct br_check_name br_check_machine_name(const struct br_plan_check *check, uint32_t machine)
{
    struct br_check_name name;
    br_cluster_machine_name(check->cluster, machine, name.text, sizeof name.text);
    return name;
}

void br_plan_check_report(struct br_plan_check *check, const char *format, ...)
{
    char text[sizeof check->diag->what];
    if (br_plan_check_enough(check))
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (check->faults == 0)
        br_fail(check->diag, BR_NO, NULL, "%s", text);
    check->faults++;
    if (check->fault && check->faults <= check->limit)
        check->fault(check->context, text);
}
