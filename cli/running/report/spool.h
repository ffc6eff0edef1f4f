/* A spool keeps a slow reader (a pager, a pipe, a terminal that is held) from holding up the run
 * whose output it reads.
 *
 * For as long as the spool is open, the descriptor that is written to is that of an unnamed file,
 * which takes everything at once, and a thread carries it on to where it belongs. So nothing that
 * prints needs to know. A descriptor that leads to a file is left as it is, unless it is to be
 * lent.
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
    int real;     /* where they lead */
    int file;
    int64_t carried, freed; /* bytes from the beginning */
    pthread_t thread;
    atomic_bool given_up; /* what has not been read is not waited for any more */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool news, busy, lent, ending, ended;
    int error; /* of writing there */
};

/* Opens a spool before the descriptor, and before its twin (-1: none), which leads to the same
 * place; before a file only where always. Where that fails, or is of no use, they are written to as
 * before. When the reader has gone, the run is stopped (cli_interrupt_stop). To be closed in any
 * case, and stays where it is until then. */
void cli_spool_open(struct cli_spool *spool, int fd, int twin, bool always);
/* There is something new, flushed. */
void cli_spool_wake(struct cli_spool *spool);
/* Where the spool leads is lent to somebody else: waits until what there is, flushed, has been read
 * (not for long where the run was interrupted), and carries nothing on until it is given back.
 * Returns a descriptor that leads there, borrowed until the spool is closed. */
int cli_spool_lend(struct cli_spool *spool);
void cli_spool_give_back(struct cli_spool *spool);
/* 0, or the errno of writing so far. */
int cli_spool_error(struct cli_spool *spool);
/* Waits until all has been read, but not for long where the run was interrupted. Returns 0 or the
 * errno of writing. A spool of zeros may be closed. */
int cli_spool_close(struct cli_spool *spool);

/* Do the descriptors lead to the same file? */
bool cli_same_file(int a, int b);

#endif
