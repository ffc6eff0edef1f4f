/* The linear program's bound, by the program bigrocks-bound. */
#ifndef BR_CLI_BOUNDS_LP_BOUND_H
#define BR_CLI_BOUNDS_LP_BOUND_H

#include <stdio.h>

#include "cli/common/progress.h"
#include "cli/common/settings.h"
#include "base/stop.h"
#include "parsers/parsers.h"

/* What became of the linear program's bound. */
struct cli_lp_bound {
    bool found;
    struct br_bound_answer answer; /* where found; its certificate has been checked */
    char why[256];                 /* why there is none; else empty */
};

/* It in words, such as "11.5 s (interval LP; limit)" or "not available (...)". */
void cli_print_lp_bound(FILE *out, const struct cli_lp_bound *lp);

/* Where the bounding program is, into `path` of PATH_MAX bytes; false where there is none. */
bool cli_bound_program(char *path);
/* Asks the program bigrocks-bound for a lower bound, for about limit_ns (by_processor: of its
 * processor's time) or, where that is negative, for `work` (a factor, as text) times its usual
 * work; a child that is missing, fails, hangs or eats the memory costs that bound and nothing else,
 * and so does one whose proof does not hold. The certificate of the answer is the caller's. */
void cli_bound_child(const struct br_dag *dag, const struct br_cluster *cluster, int64_t limit_ns,
                     bool by_processor, const char *work, const struct br_stop *stop,
                     struct cli_progress *progress, struct cli_lp_bound *bound);

/* Beyond this many tasks the linear program rarely converges in its time; it has to be asked for.
 */
enum { CLI_LP_TASKS = 5000 };

/* The same beside a search, on a thread of its own: begins, is told of every better plan (where the
 * search may be stopped by the bound), and ends, when the bound is needed after what there is to
 * wait for. NULL when memory is out, which the others take. */
struct cli_beside;
struct cli_beside *cli_beside_begin(const struct cli_settings *settings,
                                    const struct br_input *input, const char *work);
void cli_beside_found(struct cli_beside *beside, const struct br_incumbent *incumbent);
void cli_beside_end(struct cli_beside *beside, bool needed, struct cli_progress *progress,
                    struct cli_lp_bound *lp);

#endif
