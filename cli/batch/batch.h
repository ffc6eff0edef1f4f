/* The table of `bigrocks batch`.
 *
 * Jobs have numbers from 1, their places in the list; a row begins with its job's number. The
 * number serves to sort a table, to merge several, and to resume an unfinished one. During the run
 * a waiting job costs its path and 20 bytes, and a finished one no more: rows and plans are in
 * files.
 */
#ifndef BR_CLI_BATCH_BATCH_H
#define BR_CLI_BATCH_BATCH_H

#include "cli/inputs/job_list.h"
#include "cli/inputs/load.h"
#include "cli/output/output.h"

/* ---- The rows ---- */

/* The fate of a job; the table has it as a word. If a job has several rows, the one with the
 * greatest status counts. */
enum cli_row_status {
    CLI_ROW_NONE,
    CLI_ROW_INTERRUPTED, /* planned, but the search did not get its time */
    CLI_ROW_REFUSED,
    CLI_ROW_PLANNED,
};

/* A row to be written; all texts are borrowed. */
struct cli_row {
    uint32_t number;
    const char *file;
    enum cli_row_status status;
    const struct br_dag *dag;   /* NULL if the job could not be read */
    const struct br_plan *plan; /* NULL if there is none */
    const char *message;        /* may be "" */
    int64_t took_ns;            /* -1: the table has no times */
};
/* The row as a line of CSV: the caller's to free; NULL when memory is out. Control characters and
 * invalid UTF-8 become "?", so that a row is always one line. */
char *cli_row_format(const struct cli_row *row, size_t *size);

/* The beginning of a line of a table. */
struct cli_row_key {
    uint32_t number;
    enum cli_row_status status;
    const char *file; /* as in the line, with its quotes; not terminated */
    size_t file_size;
};
/* Reads a line without its line end; false if it is no whole row. */
bool cli_row_read(const char *line, size_t size, bool times, struct cli_row_key *key);
/* Does the row belong to the file of this name? 1 yes, 0 no, -1 memory is out. */
int cli_row_is_of(const struct cli_row_key *key, const char *file);
/* The first line, with its line end. */
const char *cli_row_head(bool times);

/* ---- The table while it grows ---- */

struct cli_row_place {
    uint64_t offset;
    uint32_t size;
    uint32_t status; /* enum cli_row_status */
};

/* Collects rows as jobs end. A file gets each row at once, so a crash costs no row but the one
 * being written; at the end the file is replaced by a sorted one. Standard output, a pipe or a
 * device gets the rows in order at once; rows that come early wait in an unnamed file. */
struct cli_rows {
    int fd;                          /* the file to which they are added; -1: none */
    const char *path;                /* of that file; NULL: it has no name */
    struct cli_output in_order;      /* gets the rows in order at once; else file is NULL */
    const struct cli_job_list *list; /* borrowed */
    struct cli_row_place *place;     /* by job */
    uint64_t end;                    /* of the file */
    uint32_t next, step;             /* job whose row is handed on next, and where to go on */
    uint32_t kept, dropped; /* rows found at the start, and lines that were no whole rows */
    uint32_t last;          /* number of the last row in the file */
    bool sorted;            /* the file holds the rows in order, and nothing else */
    bool times;
    bool taken_up; /* all rows that were there are known */
};

/* Opens settings->output, and keeps its rows if settings->resume, else clears it. BR_USAGE if it
 * cannot be resumed: it is no such table, has other columns, or belongs to another list. Rows of
 * every step-th job from `first` on will come; rows of other jobs may be there. Release with
 * cli_rows_close, also after a failure. */
enum br_status cli_rows_open(struct cli_rows *rows, const struct cli_settings *settings,
                             const struct cli_job_list *list, uint32_t first, uint32_t step,
                             struct br_diag *diag);
/* The status of job `index` in the table. */
enum cli_row_status cli_rows_status(const struct cli_rows *rows, uint32_t index);
/* Marks job `index` for planning although it has a row. */
void cli_rows_forget(struct cli_rows *rows, uint32_t index);
/* Adds a row. */
enum br_status cli_rows_add(struct cli_rows *rows, const struct cli_row *row, struct br_diag *diag);
/* Sorts the file, whatever `status` is, and closes it. Returns the status, or the fault of doing
 * so. */
enum br_status cli_rows_close(struct cli_rows *rows, enum br_status status, struct br_diag *diag);

/* ---- The order of the work ---- */

/* The jobs first, first + step, ... of the list in the order in which they begin: by_work, those
 * that probably take longest first and equal ones in their order, else in their order. *order is
 * the caller's to free, also after a failure. Reads the first 64 KiB of the files of all jobs that
 * have no planned row. */
enum br_status cli_batch_order(const struct cli_rows *rows, uint32_t first, uint32_t jobs,
                               bool by_work, uint32_t **order, struct br_diag *diag);

/* ---- Tables put together ---- */

/* Writes the rows of all files to settings->output in the order of their numbers, one per number.
 * BR_NO if numbers are missing in between, BR_BAD_INPUT if all jobs were refused. */
enum br_status cli_batch_merge(const struct cli_settings *settings, const char *const *file,
                               uint32_t files, struct br_diag *diag);

#endif
