/* The words of options that take a choice. Those of several sub-commands are here: the name of the
 * k-th word and a line on it; NULL past the end. */
#ifndef BR_CLI_COMMON_CHOICES_H
#define BR_CLI_COMMON_CHOICES_H

#include <stddef.h>
#include <stdint.h>

/* A word that an option takes, and a line on it. */
struct cli_choice {
    const char *name, *summary;
};

/* Defines NAME_name and NAME_summary: the k-th word of the array TABLE and its line; NULL past the
 * end. SCOPE is static, or nothing. */
#define CLI_CHOICE(SCOPE, NAME, TABLE)                                                             \
    SCOPE const char *NAME##_name(uint32_t k)                                                      \
    {                                                                                              \
        return k < sizeof TABLE / sizeof *TABLE ? TABLE[k].name : NULL;                            \
    }                                                                                              \
    SCOPE const char *NAME##_summary(uint32_t k)                                                   \
    {                                                                                              \
        return k < sizeof TABLE / sizeof *TABLE ? TABLE[k].summary : NULL;                         \
    }

const char *cli_effort_name(uint32_t k);
const char *cli_effort_summary(uint32_t k);
const char *cli_plan_bound_name(uint32_t k);
const char *cli_plan_bound_summary(uint32_t k);
const char *cli_plan_objective_name(uint32_t k);
const char *cli_plan_objective_summary(uint32_t k);
const char *cli_jobserver_name(uint32_t k);
const char *cli_jobserver_summary(uint32_t k);
const char *cli_transfer_name(uint32_t k);
const char *cli_transfer_summary(uint32_t k);
const char *cli_colour_name(uint32_t k);
const char *cli_colour_summary(uint32_t k);
const char *cli_layout_name(uint32_t k);
const char *cli_layout_summary(uint32_t k);
const char *cli_nodes_name(uint32_t k);
const char *cli_nodes_summary(uint32_t k);
const char *cli_frag_name(uint32_t k);
const char *cli_frag_summary(uint32_t k);
const char *cli_place_name(uint32_t k);
const char *cli_place_summary(uint32_t k);

#endif
