/* The linear program's bound in words. */
#include <string.h>

#include "cli/bounds/lp_bound.h"
#include "cli/terminal/say.h"

void cli_print_lp_bound(FILE *out, const struct br_bound_answer *lp)
{
    char text[CLI_SECONDS_TEXT];
    const char *status = lp->status;
    if (!lp->found) {
        cli_print_text(out, lp->why);
        return;
    }
    fprintf(out, "%s s (", cli_seconds(lp->lower_bound_ns, text));
    cli_print_text(out, lp->method);
    if (*status && strcmp(status, "optimal") != 0) {
        fputs("; ", out);
        cli_print_text(out, status);
    }
    fputc(')', out);
}
