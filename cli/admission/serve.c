/* bigrocks serve: a daemon, one per build, that lets commands start when there is room for them.
 *
 * One thread waits for sockets, the build's process and the parent. The thread never waits for a
 * client: it sends short messages without blocking, and hangs up on a client that does not take
 * them.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/collections/grow.h"
#include "base/process/clock.h"
#include "base/process/launch.h"
#include "cli/admission/admission.h"
#include "cli/admission/listener.h"
#include "cli/admission/status.h"
#include "cli/inputs/jobserver.h"
#include "cli/inputs/load.h"
#include "cli/options/demands.h"
#include "cli/options/options.h"
#include "cli/terminal/child.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/say.h"
#include "runtime/admission/gate.h"

enum { TICK_MS = 200 };
static const int64_t idle_default_ns = INT64_C(300000000000);

struct client {
    int fd;    /* -1: the place is free */
    char *key; /* once it has asked */
    bool admitted;
    int64_t since_ns; /* that it waits, or runs */
};

struct server {
    const struct cli_settings *settings;
    struct br_input input; /* of the plan */
    struct br_plan *plan;
    struct br_cluster *given, *demand;
    struct cli_demands demands;
    struct br_history *history;
    struct cli_gate *gate;
    /* Joined: every command beyond the first holds a token. Made: for the build, whose commands
     * take tokens.
     */
    struct br_jobserver *joined, *made;
    bool hungry; /* a command may have to wait for a token */

    struct cli_listener listener;
    struct br_guard guard; /* of the build */
    pid_t build;           /* 0: none, or it has ended */
    pid_t parent;
    int build_status;

    struct client *client;
    struct pollfd *poll; /* the listener, the build, tokens, then the clients */
    uint32_t clients, client_room, poll_room;
    uint32_t connected;
    int spare; /* a spare descriptor, to answer a client when no other is left */
    bool full; /* no descriptor is left for another client until one leaves */
    int build_fd;
    int64_t idle_since_ns;
    uint64_t admitted, killed; /* all clients, and those that ended without a message */
    uint32_t running, most_running;
};

/* ---- Set up ---- */

/* The machine: from the option, else from the plan, else this one. */
static enum br_status load_machine(struct server *server, struct br_diag *diag)
{
    const char *capacity = server->settings->job.capacity;
    char text[CLI_MACHINE_TEXT];
    if (!capacity && server->plan)
        return BR_OK;
    if (!capacity) {
        cli_this_machine(text);
        capacity = text;
    }
    enum br_status status = br_parse_capacity(1, capacity, &server->given, diag);
    return status == BR_BAD_INPUT ? BR_USAGE : status;
}

static const char *serve_demand_of(void *context, const char *key)
{
    return cli_demands_of(&((const struct server *)context)->demands, key);
}

static enum br_status have_job(struct br_history *history, const char *name, bool *known,
                               struct br_diag *diag)
{
    struct cli_history_jobs jobs = {.name = name};
    enum br_status status = cli_look_for_job(history, &jobs, diag);
    *known = jobs.known;
    return status;
}

/* Keeps the history under the plan's name, or without a plan under the full path of the current
 * folder. If an earlier version has kept runs under the folder's bare name, they go on under that.
 */
static enum br_status serve_open_history(struct server *server, const char *path,
                                         struct br_diag *diag)
{
    char folder[PATH_MAX];
    bool known = true, known_short = false;
    const char *name = server->plan                    ? br_dag_name(server->input.dag)
                       : getcwd(folder, sizeof folder) ? folder
                                                       : "build";
    const char *slash = server->plan ? NULL : strrchr(name, '/');
    enum br_status status = br_history_open(path, name, &server->history, diag);
    if (!status && slash)
        status = have_job(server->history, name, &known, diag);
    if (!status && !known)
        status = have_job(server->history, slash + 1, &known_short, diag);
    return !status && known_short ? br_history_use(server->history, slash + 1, diag) : status;
}

static enum br_status serve_load(struct server *server, struct br_diag *diag)
{
    const struct cli_settings *settings = server->settings;
    enum br_status status = BR_OK;
    if (settings->admission.plan) {
        status = br_parse_plan(settings->admission.plan, NULL, &server->input, &server->plan, diag);
        br_diag_file(diag, NULL);
    }
    if (!status)
        status = load_machine(server, diag);
    if (!status)
        status = cli_demands_read(settings->needs.demand, &server->demands, diag);
    if (!status)
        status = br_parse_capacity(1, server->demands.usual ? server->demands.usual : "cpu=1",
                                   &server->demand, diag);
    if (!status && settings->needs.history)
        status = serve_open_history(server, settings->needs.history, diag);
    if (status)
        return status;
    struct cli_gate_options options = {
        .cluster = server->given ? server->given : server->input.cluster,
        .dag = server->input.dag,
        .plan = server->plan,
        .demand = server->demand,
        .history = server->history,
        .demand_of = serve_demand_of,
        .context = server,
    };
    return cli_gate_create(&options, &server->gate, diag);
}

/* Commands that hold our tokens must not take them a second time from the jobserver itself. */
static enum br_status open_jobserver(struct server *server, struct br_diag *diag)
{
    const struct br_cluster *cluster = server->given ? server->given : server->input.cluster;
    const char *makeflags = getenv("MAKEFLAGS");
    server->joined = cli_jobserver_join(server->settings);
    if (!server->joined)
        return cli_jobserver_make(server->settings, cluster, &server->made, diag);
    char *without = strdup(makeflags ? makeflags : "");
    if (without)
        br_jobserver_strip(without);
    bool good = without && setenv("MAKEFLAGS", without, 1) == 0;
    free(without);
    return good ? BR_OK : br_fail_memory(diag);
}

/* The build itself, which finds the socket in its environment. */
static enum br_status start_build(struct server *server, const char *const *argument,
                                  struct br_diag *diag)
{
    if (setenv(ADMISSION_SOCKET, server->listener.address.sun_path, 1))
        return br_fail_memory(diag);
    const struct cli_listener *listener = &server->listener;
    server->guard = cli_guard_children(
        &listener->name, listener->folder[0] ? listener->folder : NULL, server->joined);
    unsetenv(ADMISSION_HELD); /* an outer server counts for another machine */
    int error =
        posix_spawnp(&server->build, argument[0], NULL, NULL, (char *const *)argument, environ);
    if (error) {
        server->build = 0;
        return br_fail(diag, BR_SYSTEM, "is it installed?", "'%.200s' cannot be started: %s",
                       argument[0], strerror(error));
    }
    /* Without pidfds its end is seen one tick later. */
    server->build_fd = (int)syscall(SYS_pidfd_open, server->build, 0);
    return BR_OK;
}

/* ---- Clients ---- */

static void hang_up(struct server *server, uint32_t number)
{
    struct client *client = &server->client[number];
    if (client->fd < 0)
        return;
    cli_gate_leave(server->gate, number);
    if (client->admitted)
        server->running--;
    close(client->fd);
    free(client->key);
    *client = (struct client){.fd = -1};
    server->connected--;
    server->full = false;
    server->idle_since_ns = br_now_ns();
}

static void send_to(struct server *server, uint32_t number, const char *message)
{
    size_t size = strlen(message);
    if (send(server->client[number].fd, message, size, MSG_NOSIGNAL | MSG_DONTWAIT) !=
        (ssize_t)size)
        hang_up(server, number);
}

/* One more place; UINT32_MAX when memory is out. */
static uint32_t find_place(struct server *server)
{
    for (uint32_t k = 0; k < server->clients; k++)
        if (server->client[k].fd < 0)
            return k;
    if (!br_grow(&server->client, server->clients, &server->client_room, sizeof *server->client))
        return UINT32_MAX;
    server->client[server->clients] = (struct client){.fd = -1};
    return server->clients++;
}

/* Nobody will leave, so waiting would never end: the newest client is refused with the reason. */
static void turn_away(struct server *server)
{
    static const char reason[] = ADMISSION_FAILED "the server has no descriptors left";
    close(server->spare);
    int fd = accept4(server->listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
        send(fd, reason, sizeof reason - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        close(fd);
    }
    server->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    server->full = false;
}

static void take_in(struct server *server)
{
    int fd;
    while ((fd = accept4(server->listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        uint32_t number = find_place(server);
        if (number == UINT32_MAX) {
            static const char reason[] = ADMISSION_FAILED "the server is out of memory";
            send(fd, reason, sizeof reason - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
            close(fd);
            return;
        }
        server->client[number].fd = fd;
        server->connected++;
    }
    server->full = errno == EMFILE || errno == ENFILE;
    if (server->full && server->connected == 0)
        turn_away(server);
}

/* Says why, and hangs up. */
static void serve_refuse(struct server *server, uint32_t number, const struct br_diag *diag)
{
    char reason[ADMISSION_KEY];
    int size = snprintf(reason, sizeof reason, "%s",
                        diag->status == BR_SYSTEM ? ADMISSION_FAILED : ADMISSION_REFUSED);
    br_diag_format(diag, reason + size, (int)sizeof reason - size);
    send_to(server, number, reason);
    hang_up(server, number);
}

static void serve_ask(struct server *server, uint32_t number, char *fields)
{
    struct client *client = &server->client[number];
    struct br_diag diag = {0};
    char *demand = strchr(fields, '\n');
    if (demand)
        *demand++ = '\0';
    client->key = strdup(fields);
    client->since_ns = br_now_ns();
    enum br_status status = !*fields ? br_fail(&diag, BR_BAD_INPUT, NULL, "the command has no key")
                            : !client->key ? br_fail_memory(&diag)
                                           : cli_gate_ask(server->gate, number, fields,
                                                          demand && *demand ? demand : NULL, &diag);
    if (status)
        serve_refuse(server, number, &diag);
}

/* "end", with the usage of the command if it ended well. */
static void serve_end(struct server *server, uint32_t number, const char *fields)
{
    struct br_history_sample sample = {.stage = server->client[number].key};
    long long wall, cpu, mem;
    if (server->history && sscanf(fields, "%lld\n%lld\n%lld", &wall, &cpu, &mem) == 3 &&
        wall >= 0 && wall < INT64_MAX / 1000) {
        struct br_diag diag = {0};
        sample.wall_ns = wall;
        sample.cpu_ns = cpu;
        sample.mem_bytes = mem;
        if (br_history_add(server->history, &sample, &diag))
            cli_say_diag(&diag);
    }
    hang_up(server, number);
}

/* Sends who runs and who waits for what, in as many messages as needed; no client gets time of its
 * own. */
static void tell_status(struct server *server, uint32_t number)
{
    const int64_t idle_since_ns = server->idle_since_ns;
    const struct br_cluster *cluster = server->given ? server->given : server->input.cluster;
    struct cli_admission_row *row = calloc((size_t)server->clients + 1, sizeof *row);
    uint32_t rows = 0;
    for (uint32_t k = 0; k < server->clients && row; k++)
        if (server->client[k].key)
            row[rows++] = (struct cli_admission_row){
                server->client[k].key, k, server->client[k].admitted,
                cli_gate_rank(server->gate, k), server->client[k].since_ns};
    const struct cli_admission_state state = {
        server->gate, cluster, server->input.dag, server->hungry, row, rows, br_now_ns()};
    char *text = row ? cli_admission_tell(&state) : NULL;
    for (size_t at = 0, size = text ? strlen(text) : 0; at < size; at += ADMISSION_MESSAGE)
        if (send(server->client[number].fd, text + at,
                 size - at < ADMISSION_MESSAGE ? size - at : ADMISSION_MESSAGE,
                 MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
            break;
    free(text);
    free(row);
    hang_up(server, number);
    server->idle_since_ns = idle_since_ns;
}

static void hear(struct server *server, uint32_t number)
{
    struct client *client = &server->client[number];
    char message[ADMISSION_MESSAGE + 1];
    struct br_diag diag = {0};
    /* The full size of the message, even if it does not fit. */
    ssize_t size = recv(client->fd, message, ADMISSION_MESSAGE, MSG_DONTWAIT | MSG_TRUNC);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size <= 0) {
        server->killed += client->admitted;
        hang_up(server, number);
        return;
    }
    if (size > ADMISSION_MESSAGE) {
        br_fail(&diag, BR_BAD_INPUT, NULL, "a message of %zd bytes is longer than %d", size,
                ADMISSION_MESSAGE);
        serve_refuse(server, number, &diag);
        return;
    }
    message[size] = '\0';
    if (strncmp(message, "ask\n", 4) == 0 && !client->key)
        serve_ask(server, number, message + 4);
    else if (strncmp(message, "end\n", 4) == 0 && client->admitted)
        serve_end(server, number, message + 4);
    else if (strcmp(message, "status\n") == 0 && !client->key)
        tell_status(server, number);
    else
        hang_up(server, number);
}

/* The first command runs on the token of the process that started this server. */
static bool has_token(struct server *server)
{
    server->hungry = server->joined && server->running > br_jobserver_held(server->joined) &&
                     !br_jobserver_take(server->joined);
    return !server->hungry;
}

static void serve_admit(struct server *server)
{
    uint32_t number;
    while (has_token(server) && (number = cli_gate_next(server->gate, br_now_ns())) != UINT32_MAX) {
        server->client[number].admitted = true;
        server->client[number].since_ns = br_now_ns();
        server->admitted++;
        if (++server->running > server->most_running)
            server->most_running = server->running;
        send_to(server, number, "go");
    }
    if (server->joined)
        br_jobserver_keep(server->joined, server->running ? server->running - 1 : 0, false);
}

/* ---- The loop ---- */

/* Has the build ended? */
static bool serve_is_over(struct server *server)
{
    if (server->build && waitpid(server->build, &server->build_status, WNOHANG) == server->build) {
        server->build = 0;
        return true;
    }
    return false;
}

static bool serve_is_idle(const struct server *server)
{
    int64_t limit_ns = server->settings->admission.idle_ns < 0
                           ? idle_default_ns
                           : server->settings->admission.idle_ns;
    return !server->build && server->connected == 0 &&
           br_now_ns() - server->idle_since_ns >= limit_ns;
}

enum { BEFORE_CLIENTS = 3 };

static bool serve_wait_for_news(struct server *server, int most_ms)
{
    uint32_t count = server->clients + BEFORE_CLIENTS;
    while (server->poll_room < count)
        if (!br_grow(&server->poll, server->poll_room, &server->poll_room, sizeof *server->poll))
            return false;
    server->poll[0] = (struct pollfd){server->full ? -1 : server->listener.fd, POLLIN, 0};
    server->poll[1] = (struct pollfd){server->build_fd, POLLIN, 0};
    server->poll[2] =
        (struct pollfd){server->hungry ? br_jobserver_watch(server->joined) : -1, POLLIN, 0};
    for (uint32_t k = 0; k < server->clients; k++)
        server->poll[BEFORE_CLIENTS + k] = (struct pollfd){server->client[k].fd, POLLIN, 0};
    /* Signals and a parent's death show at the next tick, at the latest. */
    return poll(server->poll, count, most_ms) >= 0 || errno == EINTR;
}

static enum br_status admission_serve(struct server *server, struct br_diag *diag)
{
    bool told = false;
    server->idle_since_ns = br_now_ns();
    for (;;) {
        bool over =
            serve_is_over(server); /* messages that its commands sent before are still read */
        errno = ENOMEM;
        if (!serve_wait_for_news(server, over ? 0 : TICK_MS))
            return br_fail(diag, BR_SYSTEM, NULL, "waiting failed: %s", strerror(errno));
        uint32_t clients = server->clients; /* only those that poll has looked at */
        for (uint32_t k = 0; k < clients; k++)
            if (server->client[k].fd >= 0 && server->poll[BEFORE_CLIENTS + k].revents)
                hear(server, k);
        if (over || serve_is_idle(server) || getppid() != server->parent)
            return BR_OK;
        if (server->poll[0].revents)
            take_in(server);
        serve_admit(server);
        if (cli_interrupted() && !server->build)
            return BR_OK;
        if (cli_interrupted() && !told)
            kill(server->build, SIGTERM), told = true;
    }
}

static void serve_say_result(const struct server *server)
{
    fputs("bigrocks: ", stderr);
    cli_print_count(stderr, server->admitted, "command", "commands");
    fprintf(stderr, " admitted, at most %" PRIu32 " at once", server->most_running);
    if (server->killed)
        fprintf(stderr, "; %" PRIu64 " ended without a report", server->killed);
    fputc('\n', stderr);
}

static void serve_finish(struct server *server)
{
    for (uint32_t k = 0; k < server->clients; k++)
        hang_up(server, k);
    cli_listener_close(&server->listener);
    if (server->spare >= 0)
        close(server->spare);
    if (server->build_fd >= 0)
        close(server->build_fd);
    br_jobserver_destroy(server->joined);
    br_jobserver_destroy(server->made);
    br_guard_end(&server->guard);
    cli_gate_destroy(server->gate);
    br_plan_destroy(server->plan);
    br_input_finish(&server->input);
    br_cluster_destroy(server->given);
    br_cluster_destroy(server->demand);
    cli_demands_finish(&server->demands);
    free(server->client);
    free(server->poll);
}

static int serve_perform(const struct cli_settings *settings, const char *const *argument,
                         uint32_t arguments, struct br_diag *diag)
{
    struct server server = {.settings = settings,
                            .listener = {.fd = -1, .name = {.fd = -1}},
                            .spare = -1,
                            .guard = {-1, 0},
                            .build_fd = -1,
                            .parent = getppid()};
    if (settings->admission.status && arguments)
        return br_fail(diag, BR_USAGE, NULL, "--status asks a server, and starts no build");
    if (settings->admission.status) {
        const char *there = getenv(ADMISSION_SOCKET);
        return cli_admission_status(settings->admission.socket ? settings->admission.socket
                                    : there && *there          ? there
                                                               : NULL,
                                    diag);
    }
    if (!arguments && !settings->admission.socket)
        return br_fail(diag, BR_USAGE, "give a command, or --socket PATH",
                       "there is no build to serve");
    int status = serve_load(&server, diag);
    if (!status)
        status = cli_listener_choose(&server.listener, settings->admission.socket, diag);
    if (!status) {
        br_raise_descriptors();
        cli_interrupt_catch();
        server.spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (server.spare < 0)
            status = (int)br_fail(diag, BR_SYSTEM, NULL, "/dev/null cannot be opened: %s",
                                  strerror(errno));
        else
            status = (int)cli_listener_open(&server.listener, diag);
    }
    if (!status)
        status = open_jobserver(&server, diag);
    if (!status && arguments)
        status = start_build(&server, argument, diag);
    if (!status)
        status = admission_serve(&server, diag);
    if (!status && !settings->output.quiet)
        serve_say_result(&server);
    if (!status && arguments)
        status = cli_child_exit(server.build_status);
    struct br_diag lost = {0};
    if (br_history_close(server.history, &lost)) {
        cli_say_diag(&lost);
        status = status ? status : BR_SYSTEM;
    }
    serve_finish(&server);
    return status;
}

static const struct br_option serve_rows[] = {
    OPTION(TEXT, "plan", "PLAN", admission.plan,
           "a plan (JSON), which gives its commands their order and demands"),
    OPTION(FLAG, "status", NULL, admission.status,
           "show what runs and what waits for what, at the server that --socket or BIGROCKS_SOCKET "
           "names, else at all of yours"),
    OPTION(SECONDS, "idle", "S", admission.idle_ns,
           "without a command: end after this many seconds without a client (default: 300)"),
    OPTIONS_END};

static void serve_set_defaults(struct cli_settings *settings)
{
    settings->admission.idle_ns = -1;
}

const struct cli_command cli_serve = {
    .name = "serve",
    .bit = CLI_SERVE,
    .options = serve_rows,
    .set_defaults = serve_set_defaults,
    .least = 0,
    .most = UINT32_MAX,
    .perform = serve_perform,
    .arguments = "-- [COMMAND...]",
    .summary = "let the commands of a build start when there is room for them",
    .text = "Runs a build (such as ninja or make, with more jobs than the machine can bear) and\n"
            "listens on a Unix socket, which the build finds in BIGROCKS_SOCKET. Commands that\n"
            "are started through 'bigrocks admit' wait until their demand is free, in the order\n"
            "of the plan if one is given. It ends with the build, and with its exit status;\n"
            "without a build, it ends after a while without a client, when its parent ends, or\n"
            "with Ctrl-C. --status shows what runs and what waits for what, by default at all\n"
            "servers of yours. See docs/build.md.\n",
    .examples = "bigrocks serve --capacity cpu=2,mem=1GiB -- sh -c 'bigrocks admit -- echo in'\n"
                "bigrocks serve --plan plan.json --history runs.sqlite -- ninja -j 64\n"
                "bigrocks serve --status\n",
};
