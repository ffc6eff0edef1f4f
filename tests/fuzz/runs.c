/* Readers of what runs keep, of what clients say to a server, and of the command line. */
#include "cli/admission/serve.c" /* its readers of messages are not seen from outside */

#include <unistd.h>

#include "runtime/drivers/common/journal.h"
#include "tests/fuzz/fuzz.h"

enum { JOURNAL_TASKS = 4 };
static const char mark[] = "BIGROCKS_SESSION=fuzz";

/* A journal in which tasks 0 and 1 have finished and task 2 has begun; its bytes, the caller's. */
static char *good_journal(const char *path, const struct br_dag *dag, size_t *size)
{
    struct br_diag diag = {0};
    struct br_journal journal;
    bool done[JOURNAL_TASKS] = {false};
    struct br_journal_job job = {.dag = dag, .done = done};
    struct br_journal_found found;
    fuzz_put("journal", NULL, 0);
    if (br_journal_open(&journal, path, false, &job, 1, mark, &found, &diag))
        fuzz_fail(&diag, "a journal cannot be begun");
    for (uint32_t t = 0; t < 3; t++)
        if (br_journal_started(&journal, 0, t, 0, &diag) ||
            (t < 2 && br_journal_finished(&journal, 0, t, INT64_C(1234567890), &diag)))
            fuzz_fail(&diag, "a journal cannot be gone on with");
    br_journal_close(&journal);
    FILE *file = fopen(path, "re");
    char *text = malloc(4096);
    if (!file || !text)
        fuzz_fail(NULL, "a journal cannot be read");
    *size = fread(text, 1, 4096, file);
    fclose(file);
    return text;
}

/* The first byte: 0 takes the rest as a journal; else so many pairs (where, how) change bytes of a
 * good one, and the rest is added to it. Damage may lose ends, and never makes one up. */
void fuzz_journal(const uint8_t *data, size_t size)
{
    static const char job[] = "<job xmlns='urn:bigrocks:job:1' name='j'>"
                              "<stage id='a' tasks='3' duration='1'/><stage id='b' duration='1'/>"
                              "<edge from='a' to='b' type='barrier'/></job>";
    static struct br_input input;
    static char *good, path[128];
    static size_t good_size;
    struct br_diag diag = {0};
    struct br_journal journal;
    bool done[JOURNAL_TASKS] = {false}, again[JOURNAL_TASKS] = {false};
    struct br_journal_found found;
    uint32_t undone = JOURNAL_TASKS;
    snprintf(path, sizeof path, "%s/journal", fuzz_folder());
    if (!input.dag && br_parse_job(fuzz_file(1, job, sizeof job - 1), NULL, &input, &diag))
        fuzz_fail(&diag, "the target's own job cannot be read");
    if (!good)
        good = good_journal(path, input.dag, &good_size);
    struct br_journal_job known = {.dag = input.dag, .done = done};
    size_t edits = size ? data[0] % 16 : 0, used = size ? 1 : 0;
    bool raw = size && data[0] == 0;
    char *text = malloc(good_size + size + 1);
    if (!text)
        fuzz_fail(NULL, "memory is out");
    size_t length = raw ? 0 : good_size;
    memcpy(text, good, length);
    for (; edits > 1 && used + 2 <= size && !raw; edits--, used += 2)
        text[data[used] * good_size / 256] ^= (char)data[used + 1];
    memcpy(text + length, data + used, size - used);
    fuzz_put("journal", text, length + size - used);
    free(text);
    enum br_status status = br_journal_open(&journal, path, true, &known, 1, mark, &found, &diag);
    fuzz_said(status, &diag);
    if (status)
        return;
    /* A record that is added is there when it is opened again, and what was there still is. */
    for (uint32_t t = 0; t < JOURNAL_TASKS; t++) {
        if (!raw && used == size && t > 1 && done[t])
            fuzz_fail(NULL, "a journal makes up that a task has finished");
        undone = done[t] ? undone : t;
    }
    if (undone < JOURNAL_TASKS &&
        (br_journal_started(&journal, 0, undone, 0, &diag) ||
         br_journal_finished(&journal, 0, undone, INT64_C(1234567890), &diag)))
        fuzz_fail(&diag, "a journal cannot be gone on with");
    br_journal_close(&journal);
    known.done = again;
    if (br_journal_open(&journal, path, true, &known, 1, mark, &found, &diag))
        fuzz_fail(&diag, "a journal that was gone on with cannot be read");
    for (uint32_t t = 0; t < JOURNAL_TASKS; t++)
        if (again[t] != (done[t] || t == undone))
            fuzz_fail(NULL, "a journal forgets or invents");
    br_journal_close(&journal);
}

void fuzz_history(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_history *history = NULL;
    struct br_history_estimate estimate;
    char path[128];
    fuzz_put("history", data, size);
    fuzz_put("history-wal", NULL, 0);
    fuzz_put("history-shm", NULL, 0);
    fuzz_put("history-journal", NULL, 0);
    snprintf(path, sizeof path, "%s/history", fuzz_folder());
    enum br_status status = br_history_open(path, "j", &history, &diag);
    fuzz_said(status, &diag);
    if (!status) {
        const struct br_history_sample sample = {
            .stage = "a", .wall_ns = 1000, .cpu_ns = -1, .mem_bytes = 5};
        fuzz_said(br_history_estimate(history, "a", &estimate, &diag), &diag);
        fuzz_said(br_history_add(history, &sample, &diag), &diag);
        status = br_history_flush(history, &diag);
        fuzz_said(status, &diag);
        if (!status && br_history_estimate(history, "a", &estimate, &diag) == BR_OK &&
            !estimate.samples)
            fuzz_fail(NULL, "a history forgets");
    }
    br_history_close(history, &diag);
}

/* Messages of up to eight clients: the client and the size of what it says (three bytes in all),
 * then the message; size 0 hangs up. In the end everybody has left and nothing is held. */
void fuzz_serve(const uint8_t *data, size_t size)
{
    static const char job[] =
        "<job xmlns='urn:bigrocks:job:1' name='j'><stage id='a' tasks='2' duration='1'>"
        "<demand resource='cpu' amount='1'/></stage><stage id='b' duration='2'>"
        "<demand resource='cpu' amount='2'/></stage><edge from='a' to='b' type='barrier'/></job>";
    enum { CLIENTS = 8 };
    struct cli_settings settings = cli_settings_default();
    struct server server = {
        .settings = &settings, .listener = {.fd = -1, .name = {.fd = -1}}, .build_fd = -1};
    struct br_diag diag = {0};
    int end_of[CLIENTS];
    for (uint32_t k = 0; k < CLIENTS; k++)
        end_of[k] = -1;
    if (br_parse_capacity(1, "cpu=2,mem=1GiB", &server.given, &diag) ||
        br_parse_capacity(1, "cpu=1", &server.demand, &diag))
        fuzz_fail(&diag, "the target's own machine cannot be read");
    if (size && data[0] % 2) { /* with a plan */
        struct br_plan_options options = br_plan_options_default();
        options.method = "lft";
        options.threads = 1;
        if (br_parse_job(fuzz_file(1, job, sizeof job - 1), NULL, &server.input, &diag) ||
            br_plan_make(server.input.dag, server.given, &options, &server.plan, &diag))
            fuzz_fail(&diag, "the target's own job cannot be planned");
    }
    const struct cli_gate_options gate = {.cluster = server.given,
                                          .dag = server.input.dag,
                                          .plan = server.plan,
                                          .demand = server.demand};
    if (cli_gate_create(&gate, &server.gate, &diag))
        fuzz_fail(&diag, "the target's own gate cannot be made");
    for (size_t at = 1; at + 3 <= size;) {
        uint32_t number = data[at] % CLIENTS;
        size_t length = data[at + 1] | (size_t)(data[at + 2] % 128) << 8;
        at += 3;
        length = length < size - at ? length : size - at;
        if (end_of[number] < 0) {
            int pair[2];
            if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
                fuzz_fail(NULL, "no sockets");
            while (server.clients <= number) {
                if (!br_grow(&server.client, server.clients, &server.client_room,
                             sizeof *server.client))
                    fuzz_fail(NULL, "memory is out");
                server.client[server.clients++] = (struct client){.fd = -1};
            }
            end_of[number] = pair[0];
            server.client[number].fd = pair[1];
            server.connected++;
        }
        if (length == 0 || send(end_of[number], data + at, length, MSG_NOSIGNAL) < 0) {
            close(end_of[number]);
            end_of[number] = -1;
        }
        at += length;
        hear(&server, number);
        serve_admit(&server);
        if (server.client[number].fd < 0 && end_of[number] >= 0) {
            close(end_of[number]);
            end_of[number] = -1;
        }
    }
    for (uint32_t k = 0; k < server.clients; k++) {
        hang_up(&server, k);
        if (end_of[k] >= 0)
            close(end_of[k]);
    }
    if (server.running || server.connected)
        fuzz_fail(NULL, "clients that have left hold something");
    free(server.client);
    cli_gate_destroy(server.gate);
    br_plan_destroy(server.plan);
    br_input_finish(&server.input);
    br_cluster_destroy(server.given);
    br_cluster_destroy(server.demand);
}

/* The first byte chooses the sub-command; words end with a line. */
void fuzz_options(const uint8_t *data, size_t size)
{
    enum { WORDS = 32 };
    struct br_diag diag = {0};
    struct cli_settings settings = cli_settings_default();
    char *word[WORDS];
    const char *positional[WORDS];
    uint32_t words = 0, positionals = 0;
    if (!size)
        return;
    char *text = fuzz_text(data + 1, size - 1);
    for (char *at = text, *end; words < WORDS && *at; at = end) {
        end = at + strcspn(at, "\n");
        word[words++] = at;
        if (*end)
            *end++ = '\0';
    }
    enum br_status status =
        br_options_parse(cli_options(), cli_commands[data[0] % CLI_COMMAND_COUNT]->bit, (int)words,
                         word, &settings, positional, 4, &positionals, &diag);
    fuzz_said(status, &diag);
    if (status && status != BR_USAGE)
        fuzz_fail(&diag, "a word is not a fault of who has typed it");
    if (!status) {
        struct br_cluster *cluster = NULL;
        const char *capacity =
            settings.job.capacity ? settings.job.capacity : settings.needs.demand;
        if (capacity)
            fuzz_said(br_parse_capacity((uint32_t)settings.job.machines, capacity, &cluster, &diag),
                      &diag);
        br_cluster_destroy(cluster);
    }
    free(text);
}
