/* The thread may wait in a write as long as the reader pleases. To give up a write, signals
 * interrupt it, as often as needed. */
#include "cli/running/report/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/process/clock.h"
#include "base/process/condition.h"
#include "base/process/launch.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"

enum { PIECE = 1 << 16, LOOK_MS = 50, WAKE = SIGURG };
static const int64_t free_least = 1 << 20;
/* Time that a reader has for the rest after an interrupt. */
static const int64_t patience_ns = INT64_C(1000000000);

bool cli_same_file(int a, int b)
{
    struct stat x, y;
    return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool may_block(int fd)
{
    struct stat state;
    return fstat(fd, &state) == 0 &&
           (S_ISFIFO(state.st_mode) || S_ISSOCK(state.st_mode) || isatty(fd));
}

/* ---- The thread ---- */

/* Waits for something to do; false at the end. */
static bool spool_wait_for_news(struct cli_spool *spool)
{
    pthread_mutex_lock(&spool->lock);
    spool->busy = false;
    pthread_cond_broadcast(&spool->changed);
    while ((!spool->news || spool->lent) && !spool->ending)
        pthread_cond_wait(&spool->changed, &spool->lock);
    bool any = spool->busy = spool->news;
    spool->news = false;
    pthread_mutex_unlock(&spool->lock);
    return any;
}

/* Returns 0 or the errno. */
static int spool_write_all(struct cli_spool *spool, const char *text, size_t size)
{
    int error = 0, fd = spool->real;
    while (size && !error) {
        if (atomic_load(&spool->given_up))
            return ECANCELED;
        ssize_t written = write(fd, text, size);
        if (written > 0) {
            text += written;
            size -= (size_t)written;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){fd, POLLOUT, 0}, 1, -1);
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    return error;
}

/* Passes on all there is, and drops what nobody can read. Frees the room of what it has passed on,
 * so that the whole output of a run is never stored twice. */
static int carry(struct cli_spool *spool, int error)
{
    char piece[PIECE];
    ssize_t size;
    while ((size = pread(spool->file, piece, sizeof piece, spool->carried)) > 0) {
        if (!error)
            error = spool_write_all(spool, piece, (size_t)size);
        spool->carried += size;
        if (spool->carried - spool->freed >= free_least) {
            fallocate(spool->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, spool->freed,
                      spool->carried - spool->freed);
            spool->freed = spool->carried;
        }
    }
    return error;
}

static void *spool_run(void *context)
{
    struct cli_spool *spool = context;
    sigset_t wake;
    int error = 0;
    sigemptyset(&wake);
    sigaddset(&wake, WAKE);
    pthread_sigmask(SIG_UNBLOCK, &wake, NULL);
    while (spool_wait_for_news(spool)) {
        error = carry(spool, error);
        if (error == EPIPE)
            cli_interrupt_stop();
        pthread_mutex_lock(&spool->lock);
        spool->error = error == ECANCELED ? 0 : error;
        pthread_mutex_unlock(&spool->lock);
    }
    pthread_mutex_lock(&spool->lock);
    spool->ended = true;
    pthread_cond_broadcast(&spool->changed);
    pthread_mutex_unlock(&spool->lock);
    return NULL;
}

/* ---- Around it ---- */

static void do_nothing(int number)
{
    (void)number;
}

static void spool_clean(struct cli_spool *spool)
{
    close(spool->real);
    close(spool->file);
    pthread_mutex_destroy(&spool->lock);
    pthread_cond_destroy(&spool->changed);
}

void cli_spool_open(struct cli_spool *spool, int fd, int twin, bool always)
{
    sigset_t all, before;
    struct sigaction wake = {.sa_handler = do_nothing}; /* without SA_RESTART */
    *spool = (struct cli_spool){.fd = fd, .twin = twin};
    if (!always && !may_block(fd))
        return;
    spool->real = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    spool->file = br_unnamed_file();
    pthread_mutex_init(&spool->lock, NULL);
    br_condition_init(&spool->changed);
    /* Signals are for the thread that runs the job; a closed reader is an error here. */
    sigaction(WAKE, &wake, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    spool->open = spool->real >= 0 && spool->file >= 0 &&
                  pthread_create(&spool->thread, NULL, spool_run, spool) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!spool->open) {
        spool_clean(spool);
        return;
    }
    dup3(spool->file, fd, fd > 2 ? O_CLOEXEC : 0);
    if (twin >= 0)
        dup3(spool->file, twin, twin > 2 ? O_CLOEXEC : 0);
}

void cli_spool_wake(struct cli_spool *spool)
{
    if (!spool->open)
        return;
    pthread_mutex_lock(&spool->lock);
    spool->news = true;
    pthread_cond_broadcast(&spool->changed);
    pthread_mutex_unlock(&spool->lock);
}

/* Waits, with the lock, for the thread's progress, as long as the run goes on and a moment longer;
 * false if that was not enough. */
static bool wait_a_while(struct cli_spool *spool, int64_t *since_ns)
{
    int64_t now_ns = br_now_ns();
    if (!cli_interrupted())
        *since_ns = now_ns;
    br_condition_wait(&spool->changed, &spool->lock, now_ns + LOOK_MS * INT64_C(1000000));
    return now_ns - *since_ns <= patience_ns;
}

int cli_spool_lend(struct cli_spool *spool)
{
    int64_t since_ns = br_now_ns();
    if (!spool->open)
        return spool->fd;
    pthread_mutex_lock(&spool->lock);
    spool->news = true;
    pthread_cond_broadcast(&spool->changed);
    while ((spool->news || spool->busy) && wait_a_while(spool, &since_ns))
        continue;
    spool->lent = true;
    pthread_mutex_unlock(&spool->lock);
    return spool->real;
}

void cli_spool_give_back(struct cli_spool *spool)
{
    if (!spool->open)
        return;
    pthread_mutex_lock(&spool->lock);
    spool->lent = false;
    spool->news = true;
    pthread_cond_broadcast(&spool->changed);
    pthread_mutex_unlock(&spool->lock);
}

int cli_spool_error(struct cli_spool *spool)
{
    if (!spool->open)
        return spool->error;
    pthread_mutex_lock(&spool->lock);
    int error = spool->error;
    pthread_mutex_unlock(&spool->lock);
    return error;
}

/* Waits for the end of the thread, and gives up its write if that takes too long. */
static void wait_for_end(struct cli_spool *spool)
{
    int64_t since_ns = br_now_ns();
    pthread_mutex_lock(&spool->lock);
    spool->news = spool->ending = true;
    pthread_cond_broadcast(&spool->changed);
    while (!spool->ended)
        if (!wait_a_while(spool, &since_ns)) {
            atomic_store(&spool->given_up, true);
            pthread_kill(spool->thread, WAKE);
        }
    pthread_mutex_unlock(&spool->lock);
}

int cli_spool_close(struct cli_spool *spool)
{
    if (!spool->open)
        return spool->error;
    wait_for_end(spool);
    pthread_join(spool->thread, NULL);
    dup3(spool->real, spool->fd, spool->fd > 2 ? O_CLOEXEC : 0);
    if (spool->twin >= 0)
        dup3(spool->real, spool->twin, spool->twin > 2 ? O_CLOEXEC : 0);
    spool_clean(spool);
    spool->open = false;
    return spool->error;
}
