/* Turns make's output into a job. Internal to this room. */
#ifndef BR_PARSERS_MAKE_MAKING_H
#define BR_PARSERS_MAKE_MAKING_H

#include "parsers/make/build.h"
#include "parsers/make/make.h"

/* Tasks that other tasks wait for. */
struct br_make_list {
    uint32_t *stage;
    uint32_t count, room;
};

struct br_making {
    struct br_make *make;
    const struct br_make_options *options;
    struct br_make_report *report;
    struct br_dag *dag;
    struct br_diag *diag;
    const char *top;       /* folder of the first make */
    struct br_index files; /* recipes by path, the first of each */
    char **path;           /* by recipe; of the arena */
    bool *leads;           /* by stage: another waits for it */
    uint32_t *mark;        /* by stage: 1 + the stage that waits for it */
    uint32_t stages, leads_room, mark_room;
    uint32_t *stack; /* entries */
    uint32_t visit;  /* of entries */
};

/* A part of a recipe: items from `first` up to `end`, which is a call of make, or none. */
struct br_make_part {
    uint32_t first, end;
    uint32_t lines;
    const char *only;
};

/* Adds a task. False when memory is out. */
bool br_make_list_add(struct br_make_list *list, uint32_t stage);

/* The path of a name in a folder, which is absolute if the folder is; the caller's to free. */
char *br_making_path(const char *folder, const char *name);
/* The keys of making->files; br_making_find_file: the recipe that makes the path, or NONE. */
extern const struct br_index_keys br_making_files;
uint32_t br_making_find_file(const struct br_making *making, const char *path);
/* Adds the tasks that the recipe waits for to the list: those of its prerequisites, of targets made
 * with it, and those before a .WAIT. */
enum br_status br_making_find_parents(struct br_making *making, const struct br_make_recipe *recipe,
                                      struct br_make_list *list);
/* Gives recipes the waits of all lists that make has considered. False when memory is out. */
bool br_making_find_waits(struct br_making *making);

/* Reports, as a doubt of the job, recipes that name files which earlier recipes make and do not
 * wait for them. After all edges are there. O(words + recipes that name what is no prerequisite *
 * edges). */
enum br_status br_making_doubt_order(struct br_making *making);

/* The recipe's items from `first` up to `end` as a part. */
struct br_make_part br_making_count_lines(const struct br_making *making, uint32_t first,
                                          uint32_t end);
/* The script of the part; the caller's to free. NULL when memory is out. */
char *br_making_write_script(const struct br_making *making, const struct br_make_recipe *recipe,
                             const struct br_make_part *part);

#endif
