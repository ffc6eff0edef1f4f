/* The face of ninja: its command line, for fingers, for IDEs and for `cmake --build`. */
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
/* Rewrites the arguments of ninja's, without the program's name, as those of 'build'. What only
 * ninja can do (-t TOOL, -d list, -w list, and with `own`, under our name for it, --version) is
 * handed to ninja in this process's place, so this does not return then. To be finished in any
 * case. BR_USAGE, BR_SYSTEM. */
enum br_status cli_build_face(int count, char *const *argument, bool own,
                              struct cli_face_words *words, struct br_diag *diag);
void cli_face_words_finish(struct cli_face_words *words);

#endif
