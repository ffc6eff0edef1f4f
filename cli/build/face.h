/* The command line of ninja, for people used to it, for IDEs and for `cmake --build`. */
#ifndef BR_CLI_BUILD_FACE_H
#define BR_CLI_BUILD_FACE_H

#include <bigrocks/diag.h>
#include <stdbool.h>

/* Was the program called as "bigrocks-ninja"? */
bool cli_is_ninja(const char *program);

/* The arguments of 'build'. */
struct cli_face_words {
    char **list; /* the first is "build"; ends with NULL */
    char *flags; /* texts of some of them */
    int count;
};
/* Rewrites arguments of ninja, without the program's name, as those of 'build'. Requests that only
 * ninja can serve (-t TOOL, -d list, -w list and, with `own`, under our name for it, --version)
 * replace this process by ninja, so that the call does not return. To be finished in any case.
 * BR_USAGE, BR_SYSTEM. */
enum br_status cli_build_face(int count, char *const *argument, bool own,
                              struct cli_face_words *words, struct br_diag *diag);
void cli_face_words_finish(struct cli_face_words *words);

#endif
