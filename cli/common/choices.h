/* The words of options that take a choice: for each such option, the name of its k-th word and a
 * line on it; NULL past the end. */
#ifndef BR_CLI_COMMON_CHOICES_H
#define BR_CLI_COMMON_CHOICES_H

#include <stdint.h>

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
const char *cli_like_name(uint32_t k);
const char *cli_like_summary(uint32_t k);
const char *cli_draw_name(uint32_t k);
const char *cli_draw_summary(uint32_t k);
const char *cli_assign_name(uint32_t k);
const char *cli_assign_summary(uint32_t k);
const char *cli_workload_form_name(uint32_t k);
const char *cli_workload_form_summary(uint32_t k);
const char *cli_parallel_name(uint32_t k);
const char *cli_parallel_summary(uint32_t k);
const char *cli_grouping_name(uint32_t k);
const char *cli_grouping_summary(uint32_t k);
const char *cli_clock_name(uint32_t k);
const char *cli_clock_summary(uint32_t k);
const char *cli_network_name(uint32_t k);
const char *cli_network_summary(uint32_t k);
const char *cli_objective_name(uint32_t k);
const char *cli_objective_summary(uint32_t k);
const char *cli_method_name(uint32_t k);
const char *cli_method_summary(uint32_t k);

#endif
