/* A build statement in a job: a shell script that does ninja's work for it, and the statement
 * itself without variables, for a build.ninja in another order. Internal to this room. */
#ifndef BR_PARSERS_NINJA_TEXT_H
#define BR_PARSERS_NINJA_TEXT_H

#include "parsers/ninja/ninja.h"

/* Adds the script: changes into the folder, makes the folders of the outputs, writes the response
 * file; its last line is the exact command of the statement, or runs it by `eval` if it has several
 * lines or holds {index}. */
enum br_status br_ninja_script(const struct br_ninja *ninja, uint32_t edge, const char *folder,
                               struct br_ninja_text *to, struct br_diag *diag);

/* Adds the path as a build.ninja must write it. */
bool br_ninja_add_path(struct br_ninja_text *to, const char *path);

/* The parts of a statement about its command. */
enum br_ninja_saying {
    BR_NINJA_NO_COMMANDS,    /* none: the user of the statement has them elsewhere */
    BR_NINJA_COMMANDS,       /* all */
    BR_NINJA_NAMED_COMMANDS, /* all, with its first output as the description, and the contents of
                                its dyndep file instead of its name */
};

/* Adds the statement, all variables expanded. */
enum br_status br_ninja_statement(const struct br_ninja *ninja, uint32_t edge,
                                  enum br_ninja_saying saying, struct br_ninja_text *to,
                                  struct br_diag *diag);

/* Adds statements that turn the edge's outputs into files that nothing makes, with the same
 * validations. */
enum br_status br_ninja_made(const struct br_ninja *ninja, uint32_t edge, struct br_ninja_text *to,
                             struct br_diag *diag);

/* Adds the text before all statements: pools, and the rules' names. */
enum br_status br_ninja_head(const struct br_ninja *ninja, struct br_ninja_text *to,
                             struct br_diag *diag);
/* Adds the default targets. */
enum br_status br_ninja_defaults(const struct br_ninja *ninja, struct br_ninja_text *to,
                                 struct br_diag *diag);

#endif
