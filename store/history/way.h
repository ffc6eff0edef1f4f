/* The names under which a history keeps the tasks of stages: a stage's own id, or, if tasks run in
 * one of several ways, the id with the alternative by which they ran, the class of machines and its
 * speed. Each such name has samples of its own, so files without them and with them are of one
 * form. */
#ifndef BR_STORE_HISTORY_WAY_H
#define BR_STORE_HISTORY_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/numbers/decimal.h"

struct br_history_way {
    const char *stage;       /* its id */
    const char *alternative; /* NULL: by none with a name */
    const char *cls;         /* of the machines; NULL: the name is that of the stage alone */
    struct br_decimal speed; /* of the machines; 1 if `cls` is NULL */
    char *text;              /* to be freed; NULL if the name is that of the stage alone */
};

/* The name of these tasks of the stage; the caller's, NULL if memory is out. `alternative` may be
 * NULL. */
char *br_history_way_name(const char *stage, const char *alternative, const char *cls,
                          struct br_decimal speed);
/* Takes a name apart; `name` is borrowed. A name that has not the form of a way is a stage's. False
 * if memory is out. */
bool br_history_way_read(const char *name, struct br_history_way *way);
/* The first name of the stage's ways by the alternative, or the one behind them, in the order of
 * bytes; the caller's, NULL if memory is out. */
char *br_history_way_bound(const char *stage, const char *alternative, bool behind);
/* The duration as it would be on a machine of speed 1, at least 0. */
int64_t br_history_way_normal(struct br_decimal speed, int64_t wall_ns);

#endif
