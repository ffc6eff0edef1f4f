/* Files of SQLite's with tables of ours.
 *
 * Readers never wait (the log is written ahead), and writers wait for each other, so that several
 * programs may open, make and use the same file at once. A database is not for several threads at
 * once. Needs SQLite; without it the room is not built.
 */
#ifndef BR_STORE_DATABASE_DATABASE_H
#define BR_STORE_DATABASE_DATABASE_H

#include <bigrocks/diag.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* The contents of a file. The header of every such file carries the number of its form, so that
 * other programs' files and other forms of ours are told apart. */
struct br_database_form {
    int64_t application; /* SQLite's application_id */
    int64_t version;     /* user_version; a file of another one is refused */
    const char *tables;  /* statements that make them in an empty file */
    const char *what;    /* "history": for messages */
    const char *option;  /* "--history", which makes such files */
    const char *maker;   /* "'bigrocks run JOB --history FILE' makes one" */
    const char *const *statement;
    int statements;
};

/* An open file. */
struct br_database {
    const struct br_database_form *form;
    sqlite3 *db;
    char *path;
    bool reads;               /* and nothing is written */
    sqlite3_stmt **statement; /* as many as the form has, in its order */
};

/* Opens the file, and makes it and its tables if there are none. The form is borrowed while the
 * database is open. To be closed also after a failure. BR_SYSTEM (the file, memory), BR_BAD_INPUT
 * (another kind of file, another version). */
enum br_status br_database_open(struct br_database *database, const struct br_database_form *form,
                                const char *path, struct br_diag *diag);
/* As br_database_open to read alone: no file is made and nothing is written, neither to the file
 * nor beside it, so that neither file nor folder need be writable. If one of them is not, and
 * nobody else has the file open, it is taken for one that does not change meanwhile. BR_SYSTEM also
 * if there is no file, or one that holds nothing yet. */
enum br_status br_database_open_to_read(struct br_database *database,
                                        const struct br_database_form *form, const char *path,
                                        struct br_diag *diag);
void br_database_close(struct br_database *database);

/* The fault of the last call that failed: BR_BAD_INPUT if the file is not what it should be, else
 * BR_SYSTEM. */
enum br_status br_database_fail(const struct br_database *database, struct br_diag *diag);

/* Runs statements that give nothing. */
bool br_database_run(struct br_database *database, const char *text);
/* Runs one of the form's statements, whose parameters are bound. A binding that failed shows here.
 */
bool br_database_step(struct br_database *database, int which);

#endif
