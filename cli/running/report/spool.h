/* A spool keeps a slow reader (a pager, a pipe, a paused terminal) from delaying the run whose
 * output it reads.
 *
 * As long as the spool is open, the descriptor leads to an unnamed file, which takes everything at
 * once, and a thread passes it on to the real target. So code that prints need not know. A
 * descriptor of a file is left alone, unless it is to be lent.
 */
#ifndef BR_CLI_RUNNING_REPORT_SPOOL_H
#define BR_CLI_RUNNING_REPORT_SPOOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cli_spool {
    bool open;
    int fd, twin; /* the descriptors that are written to; -1: none */
    int real;     /* their targets */
    int file;
    int64_t carried, freed; /* bytes from the beginning */
    pthread_t thread;
    atomic_bool given_up; /* unread output is not waited for any more */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool news, busy, lent, ending, ended;
    int error; /* errno of writing to the target */
};

/* Opens a spool before the descriptor, and before its twin (-1: none), which leads to the same
 * place; before a file only if `always`. If that fails, or is of no use, writing goes on as before.
 * When the reader has gone, the run is stopped (cli_interrupt_stop). To be closed in any case, and
 * not moved until then. */
void cli_spool_open(struct cli_spool *spool, int fd, int twin, bool always);
/* New output has been flushed. */
void cli_spool_wake(struct cli_spool *spool);
/* Lends the target to another writer: waits until all flushed output has been read (only briefly if
 * the run was interrupted), and passes nothing on until it is given back. Returns a descriptor of
 * the target, borrowed until the spool is closed. */
int cli_spool_lend(struct cli_spool *spool);
void cli_spool_give_back(struct cli_spool *spool);
/* 0, or the errno of writing so far. */
int cli_spool_error(struct cli_spool *spool);
/* Waits until all has been read, but only briefly if the run was interrupted. Returns 0 or the
 * errno of writing. A spool of zeros may be closed. */
int cli_spool_close(struct cli_spool *spool);

/* Do the descriptors lead to the same file? */
bool cli_same_file(int a, int b);

#endif
