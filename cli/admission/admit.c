/* bigrocks admit: runs a command once 'bigrocks serve' lets it.
 *
 * Without a server the command runs at once: build systems try their compiler, with its launcher,
 * before any build runs. If a server is named and does not answer, nothing runs: the person who set
 * it up wants a limit kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/admission/admission.h"
#include "cli/admission/key.h"
#include "cli/admission/probe.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/options/settings.h"
#include "cli/terminal/child.h"

/* The exit status is that of a shell. */
static int admit_fail_start(const char *command, int error, struct br_diag *diag)
{
    br_fail(diag, BR_SYSTEM, NULL, "'%.200s' cannot be started: %s", command, strerror(error));
    return error == ENOENT ? 127 : 126;
}

static int run_plainly(const char *const *argument, struct br_diag *diag)
{
    execvp(argument[0], (char *const *)argument);
    return admit_fail_start(argument[0], errno, diag);
}

static enum br_status admit_fail_server(const char *path, const char *what, struct br_diag *diag)
{
    br_diag_file(diag, path);
    return br_fail(diag, BR_SYSTEM, "start 'bigrocks serve' again, or unset " ADMISSION_SOCKET,
                   "%s", what);
}

static enum br_status call(const char *path, int *fd, struct br_diag *diag)
{
    struct sockaddr_un address;
    enum br_status status = cli_admission_address(path, &address, diag);
    if (status)
        return status;
    *fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (*fd < 0)
        return br_fail(diag, BR_SYSTEM, NULL, "no socket can be made: %s", strerror(errno));
    while (connect(*fd, (const struct sockaddr *)&address, sizeof address))
        if (errno != EINTR)
            return admit_fail_server(path, "no server is there", diag);
    return BR_OK;
}

static enum br_status admit_ask(const char *path, int fd, const char *key, const char *demand,
                                struct br_diag *diag)
{
    char message[ADMISSION_MESSAGE], answer[ADMISSION_MESSAGE];
    if (strlen(key) > ADMISSION_KEY)
        return br_fail(diag, BR_USAGE, "give a shorter one by --key",
                       "the command's key '%.60s...' has %zu bytes, more than %d", key, strlen(key),
                       ADMISSION_KEY);
    if (strchr(key, '\n'))
        return br_fail(diag, BR_USAGE, "give another one by --key",
                       "the command's key '%.60s' has more than one line", key);
    int size = snprintf(message, sizeof message, "ask\n%s\n%s", key, demand ? demand : "");
    if (size >= (int)sizeof message)
        return br_fail(diag, BR_USAGE, NULL, "the demand is too long");
    /* A server that has hung up may have said why. */
    if (send(fd, message, (size_t)size, MSG_NOSIGNAL) != size && errno != EPIPE)
        return admit_fail_server(path, "the server has gone", diag);
    ssize_t got;
    while ((got = recv(fd, answer, sizeof answer - 1, 0)) < 0 &&
           (errno == EINTR || errno == ECONNRESET)) /* its answer comes after the reset */
        ;
    if (got <= 0)
        return admit_fail_server(path, "the server has gone while the command was waiting", diag);
    answer[got] = '\0';
    if (strncmp(answer, ADMISSION_REFUSED, strlen(ADMISSION_REFUSED)) == 0)
        return br_fail(diag, BR_BAD_INPUT, NULL, "not admitted: %s",
                       answer + strlen(ADMISSION_REFUSED));
    if (strncmp(answer, ADMISSION_FAILED, strlen(ADMISSION_FAILED)) == 0)
        return br_fail(diag, BR_SYSTEM, NULL, "not admitted: %s",
                       answer + strlen(ADMISSION_FAILED));
    return BR_OK;
}

/* The command has run, so a server that has gone since does not matter. */
static void admit_report(int fd, const struct cli_usage *usage)
{
    char message[128] = "end\n";
    int size = 4;
    if (usage && usage->status == 0)
        size = snprintf(message, sizeof message, "end\n%" PRId64 "\n%" PRId64 "\n%" PRId64,
                        usage->wall_ns, usage->cpu_ns, usage->mem_bytes);
    if (send(fd, message, (size_t)size, MSG_NOSIGNAL) < 0)
        return;
}

static int admit_perform(const struct cli_settings *settings, const char *const *argument,
                         uint32_t arguments, struct br_diag *diag)
{
    const char *path =
        settings->admission.socket ? settings->admission.socket : getenv(ADMISSION_SOCKET);
    struct cli_usage usage;
    int fd = -1;
    char text[ADMISSION_KEY];
    const char *key = settings->admission.key;
    bool named = key || settings->needs.demand;
    if (!path || !*path || getenv(ADMISSION_HELD) || (!named && cli_is_probe(argument, arguments)))
        return run_plainly(argument, diag);
    if (!key)
        key = cli_admit_key(argument, arguments, text, sizeof text);
    int status = call(path, &fd, diag);
    if (!status)
        status = admit_ask(path, fd, key, settings->needs.demand, diag);
    if (!status &&
        setenv(ADMISSION_HELD, "1", 1)) /* else its children would wait for the command itself */
        status = br_fail_memory(diag);
    if (!status) {
        /* The command keeps the connection open as long as it runs, even if this process dies. */
        fcntl(fd, F_SETFD, 0);
        int error = cli_child_run((char *const *)argument, false, &usage);
        admit_report(fd, error ? NULL : &usage);
        status = error ? admit_fail_start(argument[0], error, diag) : cli_child_exit(usage.status);
    }
    if (fd >= 0)
        close(fd);
    return status;
}

static const struct br_option admit_rows[] = {
    OPTION(TEXT, "demand", "R=A,...", needs.demand,
           "the command's demand (default: that of the plan, the history or the server)"),
    OPTION(TEXT, "key", "NAME", admission.key,
           "the command's name in the plan and the history (default: the file after its -o, else "
           "its own name)"),
    OPTIONS_END};

const struct cli_command cli_admit = {
    .name = "admit",
    .bit = CLI_ADMIT,
    .options = admit_rows,
    .least = 1,
    .most = UINT32_MAX,
    .perform = admit_perform,
    .arguments = "-- COMMAND...",
    .summary = "run a command when 'bigrocks serve' allows it",
    .text = "A launcher for compilers and the like. It waits until the server that\n"
            "BIGROCKS_SOCKET or --socket names has room, runs the command, and reports its use\n"
            "to the server. The demand comes from --demand, the plan or the history. Without a\n"
            "server it just runs the command. The exit status is the command's, or 5 if a named\n"
            "server does not answer. 'bigrocks-admit' is the same in one word, for\n"
            "RUSTC_WRAPPER, CC, npm's script-shell and the like. Commands that only ask\n"
            "(--version, -o /dev/null) do not wait. See docs/build.md.\n",
    .examples = "bigrocks admit --demand cpu=1,mem=300MiB -- cc --version\n"
                "cmake -DCMAKE_C_COMPILER_LAUNCHER='bigrocks;admit;--'\n",
};
