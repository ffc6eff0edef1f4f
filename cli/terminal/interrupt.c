/* Signals. While a search runs, the first Ctrl-C or SIGTERM only raises a flag that the search
 * reads, so that the best plan so far is not lost; the second one ends the program. The same signal
 * a moment later is still the first: timeout(1) sends it to its child and then to its group, which
 * is the child again. */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/terminal/interrupt.h"
#include "base/process/clock.h"
#include "base/process/stop.h"

static struct br_stop raised;          /* somebody has interrupted */
static struct br_stop stop;            /* read by the search */
static const char *volatile to_remove; /* half-written file */
static volatile sig_atomic_t caught;   /* the flag is being watched */
static volatile sig_atomic_t counting; /* up to two */
static volatile sig_atomic_t last;     /* signal */
static volatile sig_atomic_t typed;    /* it was the terminal's */
static const int64_t moment_ns = 200000000;
static int64_t heeded_ns; /* when one was last; atomic, since any thread may handle a signal */

/* Does the signal change the flag that the search reads? */
static bool heeded(void)
{
    int level = br_stop_level(&stop);
    if (counting && level < 2) {
        br_stop_raise(&raised);
        br_stop_set(&stop, level + 1);
        return true;
    }
    if (caught && !br_stopped(&raised)) {
        br_stop_raise(&raised);
        br_stop_raise(&stop);
        return true;
    }
    return false;
}

static void handle(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    int64_t now_ns = br_now_ns(), before_ns = __atomic_load_n(&heeded_ns, __ATOMIC_RELAXED);
    if (before_ns && signal_number == last && now_ns - before_ns < moment_ns)
        return;
    last = signal_number;
    typed = info->si_code == SI_KERNEL;
    if (heeded()) {
        __atomic_store_n(&heeded_ns, now_ns, __ATOMIC_RELAXED);
        return;
    }
    const char *path = to_remove;
    if (path)
        unlink(path);
    _exit(128 + signal_number);
}

/* Nobody reads this program's output any more, so it ends by SIGPIPE, as programs do then. */
static void handle_pipe(int signal_number)
{
    const char *path = to_remove;
    if (path)
        unlink(path);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Signals that the caller ignores stay ignored: under nohup the terminal's end must not stop the
 * program. */
static void install_unless_ignored(int number, const struct sigaction *action)
{
    struct sigaction before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, action, NULL);
}

static void install(void)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    struct sigaction unread = {.sa_handler = handle_pipe};
    sigemptyset(&action.sa_mask);
    sigemptyset(&unread.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    install_unless_ignored(SIGHUP, &action);
    install_unless_ignored(SIGPIPE, &unread);
}

const struct br_stop *cli_interrupt_catch(void)
{
    caught = 1;
    install();
    return &stop;
}

void cli_interrupt_stop(void)
{
    br_stop_raise(&stop);
}

const struct br_stop *cli_interrupt_count(void)
{
    counting = 1;
    return cli_interrupt_catch();
}

void cli_interrupt_release(void)
{
    caught = 0;
    counting = 0;
}

void cli_interrupt_die(void)
{
    assert(last != 0);
    fflush(stdout);
    signal(last, SIG_DFL);
    raise(last);
}

enum br_status cli_die_unread(struct br_diag *diag)
{
    struct sigaction before;
    if (sigaction(SIGPIPE, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    return br_fail(diag, BR_SYSTEM, NULL, "nobody reads the output any more");
}

bool cli_interrupted(void)
{
    return br_stopped(&raised);
}

bool cli_interrupted_by_terminal(void)
{
    return cli_interrupted() && typed;
}

void cli_interrupt_remove(const char *path)
{
    to_remove = path;
    if (path)
        install();
}
