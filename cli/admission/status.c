/* The server makes the text, the client that asked prints it. */
#include "cli/admission/status.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/numbers/decimal.h"
#include "base/roles.h"
#include "cli/admission/admission.h"
#include "cli/terminal/say.h"
#include "emit/write/write.h"

enum {
    SHOWN = 40,    /* rows of each kind */
    KEY_MOST = 40, /* characters of a key */
    NAME_MOST = 20,
    PATIENCE_S = 5, /* to wait for a silent server */
};

/* ---- In the server ---- */

static double status_amount_of(struct br_decimal amount)
{
    char text[BR_DECIMAL_TEXT];
    br_decimal_format(amount, text, sizeof text);
    return strtod(text, NULL);
}

struct telling {
    FILE *out;
    const struct cli_admission_state *state;
    const struct br_class *cls; /* the machine */
    double *used;               /* of its capacities */
};

/* The amount of the k-th capacity, in the unit of the plan. */
static void print_amount(const struct telling *telling, double amount, uint32_t k)
{
    const struct br_dag *dag = telling->state->dag;
    const char *resource = telling->cls->capacity[k].resource, *unit = NULL;
    char digits[64], text[BR_ROLE_AMOUNT_TEXT];
    struct br_decimal value = {0};
    for (uint32_t r = 0; dag && r < dag->resources; r++)
        if (strcmp(dag->resource[r].name, resource) == 0)
            unit = dag->resource[r].unit;
    snprintf(digits, sizeof digits, "%.6f", amount);
    br_decimal_parse_nearest(digits, &value);
    br_role_amount(value, resource, unit, text);
    fputs(text, telling->out);
    if (unit && !br_role_counts_bytes(resource, unit)) {
        putc(' ', telling->out);
        br_write_cut(telling->out, BR_QUOTE_LINE, unit, NAME_MOST);
    }
}

static void print_resource(const struct telling *telling, uint32_t k)
{
    br_write_cut(telling->out, BR_QUOTE_LINE, telling->cls->capacity[k].resource, NAME_MOST);
    putc(' ', telling->out);
}

/* Running clients first, by time; then waiting ones, by the plan's order, and by time if the plan
 * does not know them. */
static int status_by_turn(const void *a, const void *b)
{
    const struct cli_admission_row *x = a, *y = b;
    if (x->admitted != y->admitted)
        return x->admitted ? -1 : 1;
    if (!x->admitted && x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->since_ns != y->since_ns)
        return x->since_ns < y->since_ns ? -1 : 1;
    return x->client < y->client ? -1 : x->client > y->client;
}

/* ": cpu 1, mem 300 MiB" for a running client, " for mem 300 MiB (free: 20 MiB)" for a waiting one.
 * True if there is any amount. */
static bool print_demands(const struct telling *telling, const struct cli_admission_row *row)
{
    bool any = false;
    for (uint32_t k = 0; k < telling->cls->capacities; k++) {
        double demand = cli_gate_demand(telling->state->gate, row->client, k);
        double room = status_amount_of(telling->cls->capacity[k].amount) - telling->used[k];
        if (demand <= 0 || (!row->admitted && demand <= room * (1 + 1e-9)))
            continue;
        fputs(any ? ", " : row->admitted ? ": " : " for ", telling->out);
        print_resource(telling, k);
        print_amount(telling, demand, k);
        if (!row->admitted) {
            fputs(" (free: ", telling->out);
            print_amount(telling, room < 0 ? 0 : room, k);
            putc(')', telling->out);
        }
        any = true;
    }
    return any;
}

static void status_print_row(const struct telling *telling, const struct cli_admission_row *row)
{
    fprintf(telling->out, "  %s %7.1f s  ", row->admitted ? "runs " : "waits",
            (double)(telling->state->now_ns - row->since_ns) / 1e9);
    br_write_cut(telling->out, BR_QUOTE_LINE, row->key, KEY_MOST);
    if (!print_demands(telling, row) && !row->admitted)
        fputs(telling->state->hungry ? " for a token of make's jobserver" : " for its turn",
              telling->out);
    putc('\n', telling->out);
}

static void status_print_head(const struct telling *telling, uint32_t running, uint32_t waiting)
{
    cli_print_count(telling->out, running, "command runs", "commands run");
    fprintf(telling->out, ", %" PRIu32 " wait", waiting);
    for (uint32_t k = 0; k < telling->cls->capacities; k++) {
        fputs(k ? ", " : "; ", telling->out);
        print_resource(telling, k);
        print_amount(telling, telling->used[k], k);
        fputs(" of ", telling->out);
        print_amount(telling, status_amount_of(telling->cls->capacity[k].amount), k);
    }
    putc('\n', telling->out);
}

static void print_all(struct telling *telling)
{
    const struct cli_admission_state *state = telling->state;
    uint32_t running = 0, shown[2] = {0};
    for (uint32_t r = 0; r < state->rows && state->row[r].admitted; r++, running++)
        for (uint32_t k = 0; k < telling->cls->capacities; k++)
            telling->used[k] += cli_gate_demand(state->gate, state->row[r].client, k);
    status_print_head(telling, running, state->rows - running);
    for (uint32_t r = 0; r < state->rows; r++)
        if (shown[state->row[r].admitted]++ < SHOWN)
            status_print_row(telling, &state->row[r]);
    for (int which = 1; which >= 0; which--)
        if (shown[which] > SHOWN)
            fprintf(telling->out, "  and %" PRIu32 " more %s\n", shown[which] - SHOWN,
                    which ? "run" : "wait");
}

char *cli_admission_tell(const struct cli_admission_state *state)
{
    char *text = NULL;
    size_t size;
    struct telling telling = {.state = state, .cls = &state->cluster->cls[0]};
    telling.used = calloc((size_t)telling.cls->capacities + 1, sizeof *telling.used);
    telling.out = telling.used ? open_memstream(&text, &size) : NULL;
    if (state->rows)
        qsort(state->row, state->rows, sizeof *state->row, status_by_turn);
    if (telling.out)
        print_all(&telling);
    if (telling.out && fclose(telling.out)) {
        free(text);
        text = NULL;
    }
    free(telling.used);
    return text;
}

/* ---- In the client ---- */

static enum br_status status_fail_server(const char *path, const char *what, struct br_diag *diag)
{
    br_diag_file(diag, path);
    return br_fail(diag, BR_SYSTEM, NULL, "%s", what);
}

/* Prints lines of text without the characters that control the terminal: the text may come from
 * anybody. */
static void print_answer(char *text)
{
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        const bool whole = *end;
        *end = '\0';
        cli_print_text(stdout, line);
        if (whole) {
            putchar('\n');
            end++;
        }
    }
}

/* Does a process of this user listen there? */
static bool is_own(int fd)
{
    struct ucred who;
    socklen_t size = sizeof who;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == getuid();
}

/* If the path is given, the caller answers for whose server it is. */
static enum br_status status_ask(const char *path, bool own, struct br_diag *diag)
{
    static const struct timeval patience = {.tv_sec = PATIENCE_S};
    struct sockaddr_un address;
    char text[ADMISSION_MESSAGE + 1];
    bool any = false;
    ssize_t got = 0;
    enum br_status status = cli_admission_address(path, &address, diag);
    if (status)
        return status;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) ||
        (own && !is_own(fd)) || send(fd, "status\n", 7, MSG_NOSIGNAL) != 7)
        status = status_fail_server(path, "no server is there", diag);
    while (!status &&
           ((got = recv(fd, text, ADMISSION_MESSAGE, 0)) > 0 || (got < 0 && errno == EINTR))) {
        text[got > 0 ? got : 0] = '\0';
        print_answer(text);
        any |= got > 0;
    }
    if (!status && (got < 0 || !any))
        status = status_fail_server(path,
                                    got < 0 ? "the server does not answer"
                                            : "the server has hung up without an answer",
                                    diag);
    if (fd >= 0)
        close(fd);
    return status;
}

/* Sockets that servers have made for themselves, in the folders of choose_path. */
static void find_sockets(glob_t *found)
{
    const char *const base[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
    char pattern[PATH_MAX];
    bool any = false;
    for (int k = 0; k < 3; k++) {
        bool again = false;
        for (int j = 0; j < k && base[k]; j++)
            again |= base[j] && strcmp(base[j], base[k]) == 0;
        if (!base[k] || *base[k] != '/' || again)
            continue;
        snprintf(pattern, sizeof pattern, "%s/bigrocks-*/socket", base[k]);
        glob(pattern, any ? GLOB_APPEND : 0, NULL, found);
        any = true;
    }
}

enum br_status cli_admission_status(const char *socket, struct br_diag *diag)
{
    glob_t found = {0};
    struct stat what;
    uint32_t answers = 0;
    if (socket)
        return status_ask(socket, false, diag);
    find_sockets(&found);
    for (size_t k = 0; k < found.gl_pathc; k++) {
        struct br_diag lost = {0};
        const char *path = found.gl_pathv[k];
        if (lstat(path, &what) || !S_ISSOCK(what.st_mode) || what.st_uid != getuid())
            continue;
        if (found.gl_pathc > 1) {
            cli_print_text(stdout, path);
            fputs(": ", stdout);
        }
        if (status_ask(path, true, &lost) == BR_OK)
            answers++;
        else if (found.gl_pathc > 1)
            puts(lost.what);
    }
    globfree(&found);
    return answers ? BR_OK
                   : br_fail(diag, BR_SYSTEM, "give --socket PATH", "no server of yours was found");
}
