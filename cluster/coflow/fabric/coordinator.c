#include "cluster/coflow/fabric/coordinator.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"

/* ---- What is asked for ---- */

struct number {
    const char *name;
    double least, most;
    double *value;
};

/* ":NAME=NUMBER:..." of that length. */
static enum br_status coordinator_read_numbers(const char *what, const char *text, size_t length,
                                               const struct number *number, uint32_t numbers,
                                               struct br_diag *diag)
{
    const char *end = text + length;
    char hint[sizeof diag->hint] = "it has ";
    for (uint32_t k = 0; k < numbers; k++) {
        strcat(hint, k ? ", " : "");
        strcat(hint, number[k].name);
    }
    while (text < end) {
        size_t name = strcspn(text, "=:,"), part = strcspn(text, ":,");
        const char *from = text + name + 1;
        uint32_t k = 0;
        while (k < numbers &&
               (strlen(number[k].name) != name || strncmp(number[k].name, text, name) != 0))
            k++;
        if (k == numbers || text[name] != '=')
            return br_fail(diag, BR_USAGE, hint, "%s has no '%.*s'", what,
                           (int)(part < 60 ? part : 60), text);
        if (!br_real_read(&from, ":,", number[k].value) || *number[k].value < number[k].least ||
            *number[k].value > number[k].most)
            return br_fail(diag, BR_USAGE, NULL, "%s: %s is a number from %g to %g", what,
                           number[k].name, number[k].least, number[k].most);
        text += part + (text + part < end);
    }
    return BR_OK;
}

enum br_status br_coordinator_read(const char *text, struct br_coordinator *c, struct br_diag *diag)
{
    const struct number number[] = {{"interval", 1e-3, 1e6, &c->interval_ms},
                                    {"latency", 0, 1e6, &c->latency_ms},
                                    {"loss", 0, 0.9, &c->loss},
                                    {"report", 0, 1e6, &c->report_us},
                                    {"rate", 0, 1e6, &c->rate_us},
                                    {"update", 0, 1e6, &c->update_us}};
    *c = (struct br_coordinator){.interval_ms = 8};
    return coordinator_read_numbers("--coordinator", text, strlen(text), number, 6, diag);
}

enum br_status br_coflow_failure_read(const char *text, size_t length,
                                      struct br_coflow_failure *failure, struct br_diag *diag)
{
    static const char coordinator[] = "coordinator";
    size_t name = strcspn(text, ":,");
    double at_s = 0, for_s = 0, port = -1;
    const struct number number[] = {{"at", 0, 1e9, &at_s}, {"for", 1e-6, 1e9, &for_s}};
    const char *from = text;
    bool whole = strlen(coordinator) == name && strncmp(text, coordinator, name) == 0;
    if (!whole && (!br_real_read(&from, ":,", &port) || port < 0 || port >= BR_COFLOW_PORTS_MOST ||
                   port > (double)(uint32_t)port))
        return br_fail(diag, BR_USAGE, "write 3:at=100:for=60, or coordinator:at=100:for=60",
                       "--fail names no port: '%.*s'", (int)(name < 60 ? name : 60), text);
    enum br_status status = coordinator_read_numbers(
        "--fail", text + name + (name < length), length - name - (name < length), number, 2, diag);
    if (!status && for_s <= 0)
        status = br_fail(diag, BR_USAGE, "add :for=SECONDS", "--fail does not say for how long");
    *failure = (struct br_coflow_failure){whole ? BR_FAILS_COORDINATOR : (uint32_t)port,
                                          at_s * 1000, (at_s + for_s) * 1000};
    return status;
}

/* ---- At work ---- */

bool br_desk_init(struct br_desk *desk, const struct br_coordinator *is, uint32_t ports,
                  bool reports)
{
    *desk = (struct br_desk){.is = is, .ports = ports, .reports = reports};
    desk->rng = br_rng_seed(is->seed);
    desk->round_ms = desk->tell_ms = INFINITY;
    desk->heard = calloc((size_t)ports + 1, sizeof *desk->heard);
    return desk->heard != NULL;
}

void br_desk_finish(struct br_desk *desk)
{
    free(desk->heard);
}

bool br_desk_reaches(struct br_desk *desk)
{
    return desk->is->loss <= 0 || br_rng_unit(&desk->rng) >= desk->is->loss;
}

/* The first boundary at that time or later at which the coordinator is there. */
static double boundary(const struct br_desk *desk, double ms)
{
    double interval = desk->is->interval_ms, at = ceil(ms / interval) * interval;
    for (uint32_t k = 0; k < desk->failures; k++)
        if (desk->failure[k].port == BR_FAILS_COORDINATOR && at >= desk->failure[k].at_ms &&
            at < desk->failure[k].until_ms)
            return boundary(desk, desk->failure[k].until_ms);
    return at;
}

void br_desk_note(struct br_desk *desk, uint32_t port)
{
    assert(port < desk->ports);
    desk->waiting += !desk->heard[port];
    assert(desk->waiting <= desk->ports);
    desk->heard[port] = 1;
}

void br_desk_hear(struct br_desk *desk, uint32_t port, double now_ms)
{
    double heard_ms = now_ms + desk->is->latency_ms;
    while (!br_desk_reaches(desk))
        heard_ms += desk->is->interval_ms;
    br_desk_note(desk, port);
    desk->round_ms = fmin(desk->round_ms, boundary(desk, fmax(heard_ms, desk->ready_ms)));
}

void br_desk_pass(struct br_desk *desk, double from_ms, double to_ms, bool active)
{
    double interval = desk->is->interval_ms;
    double boundaries = floor(to_ms / interval) - floor(from_ms / interval);
    assert(from_ms <= to_ms);
    if (boundaries < 1)
        return;
    if (active) {
        desk->figures.intervals += (uint64_t)boundaries;
        desk->figures.heard +=
            desk->reports ? (uint64_t)boundaries * desk->senders : (uint64_t)desk->waiting;
        if (desk->reports && desk->senders * desk->is->report_us > interval * 1000)
            desk->figures.missed += (uint64_t)boundaries;
    }
    memset(desk->heard, 0, desk->ports * sizeof *desk->heard);
    desk->waiting = 0;
}

void br_desk_begin(struct br_desk *desk, double now_ms, uint64_t flows, uint32_t agents)
{
    const struct br_coordinator *is = desk->is;
    assert(agents <= desk->ports);
    double reports =
        desk->reports ? desk->senders : (double)(desk->figures.heard - desk->told_heard);
    double takes_ms =
        (reports * is->report_us + (double)flows * is->rate_us + agents * is->update_us) / 1000;
    assert(desk->told_heard <= desk->figures.heard);
    desk->told_heard = desk->figures.heard;
    desk->figures.rounds++;
    desk->figures.missed += (uint64_t)(takes_ms / is->interval_ms);
    desk->senders = agents;
    desk->tell_ms = desk->ready_ms = now_ms + takes_ms + is->latency_ms;
    desk->round_ms = INFINITY;
}
