/* The enforcer's decisions by going through everything, to hold the indexed ones against. */
#ifndef BR_TESTS_SUPPORT_PLAIN_ENFORCER_H
#define BR_TESTS_SUPPORT_PLAIN_ENFORCER_H

#include <bigrocks/runtime.h>

/* As br_runtime_decide, but every machine gets a pass, and every pass looks at all tasks of all
 * jobs. It reads the state of jobs, machines and groups; of what the enforcer keeps across jobs it
 * uses nothing. Plans are not protected: options.keep_plan has to be false. */
uint32_t plain_decide(struct br_runtime *runtime, uint32_t machine, int64_t now_ns,
                      struct br_decision *decisions, uint32_t room);

#endif
