/* A depfile: the files that a compiler has read for its output, as a rule for make. Internal to
 * this room. */
#ifndef BR_PARSERS_NINJA_DEPFILE_H
#define BR_PARSERS_NINJA_DEPFILE_H

#include "base/text/diag.h"
#include "base/collections/index.h"

/* The names of a depfile in the file's order, each once. Zeroed before the first reading; later
 * readings reuse its memory. */
struct br_ninja_depfile {
    char **name; /* in the text that was read */
    uint32_t names, room;
    char **target; /* the targets, in the text; some perhaps twice */
    uint32_t targets, target_room;
    struct br_index by_name;
};

/* The text of the depfile with this path, malloc's; NULL if there is no such file. BR_BAD_INPUT if
 * it is no file, or larger than any depfile. */
enum br_status br_ninja_depfile_text(const char *path, char **text, size_t *size,
                                     struct br_diag *diag);
/* Reads the text, which is overwritten; text[size] is NUL. An empty one names nothing. BR_BAD_INPUT
 * if ninja refuses it as well: there is no target, or an input is said to depend on something
 * itself. O(size) expected. */
enum br_status br_ninja_depfile_read(struct br_ninja_depfile *depfile, char *text, size_t size,
                                     struct br_diag *diag);
void br_ninja_depfile_finish(struct br_ninja_depfile *depfile);

#endif
