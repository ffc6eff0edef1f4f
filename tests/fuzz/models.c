/* The file of a model, and decisions by what is taken of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/index.h"
#include "cluster/executors/policy/learned.h"
#include "cluster/executors/network/model.h"
#include "planner/model/waves.h"
#include "tests/fuzz/fuzz.h"

enum { SUMMED_FROM = 32, SUM_AT = 24, VERSION_AT = 8, STAGES = 3 };

/* A small model's bytes, which stay. */
static const char *good_model(size_t *size)
{
    static char *bytes;
    static size_t length;
    struct br_network_shape shape = br_network_shape_split();
    struct br_diag diag = {0};
    struct br_model model;
    if (!bytes) {
        shape.hidden[0] = 8;
        if (br_model_init(&model, &shape, &diag))
            fuzz_fail(&diag, "the target's own model cannot be made");
        br_network_draw(&model.network, 1, model.parameter);
        model.executors = 4;
        FILE *out = open_memstream(&bytes, &length);
        if (!out || br_model_write(&model, out, &diag) || fclose(out))
            fuzz_fail(&diag, "the target's own model cannot be written");
        br_model_finish(&model);
    }
    *size = length;
    return bytes;
}

/* Puts the sum right, so that what comes behind it is looked at. */
static void sum_up(char *bytes, size_t size)
{
    uint32_t version;
    if (size < SUMMED_FROM)
        return;
    memcpy(&version, bytes + VERSION_AT, sizeof version);
    uint64_t sum = version;
    for (size_t k = SUMMED_FROM; k < size; k += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + k, size - k < 8 ? size - k : 8);
        sum = br_hash_number(sum ^ word);
    }
    memcpy(bytes + SUM_AT, &sum, sizeof sum);
}

/* Two jobs of a chain of three stages. */
static const struct br_waves *chain(void)
{
    static struct br_waves *waves;
    static const uint32_t ms[] = {100, 900};
    const struct br_wave_measured measured = {
        .executors = 5, .count = {[BR_WAVE_FIRST] = 2, [BR_WAVE_REST] = 2}, .ms = {ms, ms, ms}};
    if (waves)
        return waves;
    waves = br_waves_create(STAGES);
    for (uint32_t s = 0; waves && s < STAGES; s++) {
        waves->stage[s].tasks = 2 + s;
        if (br_waves_add(waves, s, &measured, NULL) ||
            (s && br_waves_add_edge(waves, s - 1, s, NULL)))
            fuzz_fail(NULL, "the target's own job cannot be made");
    }
    if (!waves || br_waves_finish(waves, NULL))
        fuzz_fail(NULL, "the target's own job cannot be made");
    return waves;
}

/* Whatever the numbers: every decision is one that can be made, and all jobs end. */
static void decide(const struct br_model *model)
{
    const struct br_executors_options cluster = {.executors = 4, .moving_ns = 1000000000};
    const struct br_executors_arrival arrival[] = {{.waves = chain(), .seed = 1},
                                                   {.waves = chain(), .seed = 2}};
    const struct br_executors_setup setup = {
        .row = &br_executors_policy_learned, .seed = 1, .number = 1, .model = model};
    struct br_executors *sim = br_executors_create(&cluster);
    void *policy = NULL;
    if (!sim || br_executors_policy_learned.create(&setup, &policy, NULL) ||
        br_executors_reset(sim, arrival, 2, NULL, NULL) ||
        br_executors_policy_learned.begin(policy, sim, NULL))
        fuzz_fail(NULL, "memory is out");
    while (br_executors_next(sim)) {
        struct br_executors_choice choice = br_executors_policy_learned.decide(policy, sim);
        if (choice.stage >= sim->stages || !br_executors_selectable(sim, choice.stage) ||
            choice.limit <= br_executors_held(sim, sim->stage[choice.stage].job) ||
            choice.limit > cluster.executors)
            fuzz_fail(NULL, "a decision that cannot be made");
        br_executors_decide(sim, choice.stage, choice.limit);
    }
    if (sim->ended_jobs != 2)
        fuzz_fail(NULL, "jobs that do not end");
    br_executors_policy_learned.destroy(policy);
    br_executors_destroy(sim);
}

/* The first byte: 0 takes the rest as a model; else so many triples (where, of two bytes, and how)
 * change bytes of a good one, whose sum is put right. What is taken decides, and is written as it
 * was. */
void fuzz_model(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_model model;
    size_t length, used = 1;
    const char *good = good_model(&length);
    if (size == 0 || data[0] == 0)
        length = size ? size - 1 : 0;
    char *bytes = malloc(length + 1), *again;
    if (!bytes)
        fuzz_fail(NULL, "memory is out");
    memcpy(bytes, size && data[0] ? good : (const char *)data + (size ? 1 : 0), length);
    for (; size && data[0] && used + 3 <= size; used += 3)
        bytes[(data[used] * 256u + data[used + 1]) % length] ^= (char)data[used + 2];
    if (size && data[0] % 2)
        sum_up(bytes, length);
    enum br_status status = br_model_read(bytes, length, &model, &diag);
    fuzz_said(status, &diag);
    if (!status) {
        decide(&model);
        size_t written;
        FILE *out = open_memstream(&again, &written);
        if (!out || br_model_write(&model, out, &diag) || fclose(out))
            fuzz_fail(&diag, "a model that was read cannot be written");
        if (written != length || memcmp(again, bytes, length) != 0)
            fuzz_fail(NULL, "a model that is written as another one");
        free(again);
        br_model_finish(&model);
    }
    free(bytes);
}
