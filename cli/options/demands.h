/* The demands of --demand: those of every command, and those of commands whose name fits a pattern.
 */
#ifndef BR_CLI_OPTIONS_DEMANDS_H
#define BR_CLI_OPTIONS_DEMANDS_H

#include <bigrocks/diag.h>
#include <stdint.h>

/* Zeroed: no demands. */
struct cli_demands {
    char *text;        /* owned; the others point into it */
    const char *usual; /* NULL: none */
    struct cli_demand_of {
        const char *pattern, *amounts;
    } * of;
    uint32_t count;
};

/* Parses "cpu=1; *.o: mem=2GiB; bin/app: cpu=4,mem=8GiB", with its amounts; NULL means no demands.
 * BR_USAGE. To be finished in any case. */
enum br_status cli_demands_read(const char *text, struct cli_demands *demands,
                                struct br_diag *diag);
void cli_demands_finish(struct cli_demands *demands);
/* The amounts of the last pattern that the name fits; NULL if it fits none. */
const char *cli_demands_of(const struct cli_demands *demands, const char *name);

#endif
