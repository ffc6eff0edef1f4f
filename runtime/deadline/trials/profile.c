/* Draws are by counting, not by a stream: each task's has a seed of its own, so what one stage is
 * like leaves the draws of the others as they are. */
#include "runtime/deadline/trials/profile.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/collections/index.h"
#include "base/numbers/real.h"

/* From so many samples on, a draw is on the line between two of them. */
enum { SAMPLES_LINEAR = 8 };

enum br_status br_profile_init(struct br_deadline_profile *profile, const struct br_dag *dag,
                               struct br_diag *diag)
{
    *profile = (struct br_deadline_profile){.dag = dag};
    profile->stage = br_arena_array(&profile->arena, dag->stages, sizeof *profile->stage);
    if (!profile->stage)
        return br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        profile->stage[s] = (struct br_profile_stage){
            .spread = br_real_of(stage->spread),
            .longest_ns = stage->longest_ns ? stage->longest_ns : INT64_MAX,
            .fail = NAN,
            .fail_again = NAN,
        };
    }
    return BR_OK;
}

static int deadline_profile_by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

enum br_status br_profile_measured(struct br_deadline_profile *profile, uint32_t stage,
                                   const int64_t *sample_ns, uint32_t samples, struct br_diag *diag)
{
    int64_t *copy = br_arena_array(&profile->arena, samples, sizeof *copy);
    if (!copy)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < samples; k++)
        copy[k] = sample_ns[k] > 0 ? sample_ns[k] : 0;
    qsort(copy, samples, sizeof *copy, deadline_profile_by_time);
    profile->stage[stage].samples = samples;
    profile->stage[stage].sample_ns = copy;
    return BR_OK;
}

void br_profile_finish(struct br_deadline_profile *profile)
{
    br_arena_finish(&profile->arena);
    *profile = (struct br_deadline_profile){0};
}

/* One of the samples; of many, a time on the line between two neighbours. */
static int64_t draw_sample(const struct br_profile_stage *stage, struct br_rng *rng)
{
    assert(stage->samples > 0);
    uint32_t k = (uint32_t)br_rng_below(rng, stage->samples);
    int64_t low = stage->sample_ns[k];
    if (stage->samples < SAMPLES_LINEAR || k + 1 == stage->samples)
        return low;
    assert(stage->sample_ns[k + 1] >= low);
    return low + (int64_t)((double)(stage->sample_ns[k + 1] - low) * br_rng_unit(rng));
}

static int64_t deadline_profile_draw_declared(const struct br_profile_stage *stage, int64_t mean_ns,
                                              struct br_rng *rng)
{
    double lasts_ns = (double)mean_ns;
    if (stage->spread > 0)
        lasts_ns *= br_real_exp(stage->spread * (br_real_normal(rng) - stage->spread / 2));
    int64_t most = stage->longest_ns < INT64_MAX / 4 ? stage->longest_ns : INT64_MAX / 4;
    return lasts_ns < (double)most ? (int64_t)(lasts_ns + 0.5) : most;
}

void br_profile_draw(const struct br_deadline_profile *profile, uint64_t seed, int64_t *duration_ns)
{
    const struct br_dag *dag = profile->dag;
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_profile_stage *stage = &profile->stage[s];
        uint32_t first = dag->stage[s].first_task;
        for (uint32_t t = first; t < first + dag->stage[s].tasks; t++) {
            struct br_rng rng = br_rng_seed(br_hash_number(seed ^ br_hash_number(t)));
            duration_ns[t] = stage->samples
                                 ? draw_sample(stage, &rng)
                                 : deadline_profile_draw_declared(stage, dag->duration_ns[t], &rng);
        }
    }
}

enum br_status br_profile_learn(struct br_deadline_profile *profile, uint64_t seed, uint32_t runs,
                                struct br_diag *diag)
{
    const struct br_dag *dag = profile->dag;
    struct br_deadline_profile declared = *profile, learned;
    int64_t *drawn = calloc((size_t)runs * dag->tasks, sizeof *drawn);
    int64_t *sample = calloc((size_t)runs * dag->tasks, sizeof *sample);
    enum br_status status = br_profile_init(&learned, dag, diag);
    if (!status && (!drawn || !sample))
        status = br_fail_memory(diag);
    for (uint32_t r = 0; !status && r < runs; r++)
        br_profile_draw(&declared, br_hash_number(br_hash_number(~seed) ^ r),
                        drawn + (size_t)r * dag->tasks);
    for (uint32_t s = 0; !status && s < dag->stages; s++) {
        uint32_t samples = 0;
        for (uint32_t r = 0; r < runs; r++)
            for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
                sample[samples++] = drawn[(size_t)r * dag->tasks + dag->stage[s].first_task + i];
        status = br_profile_measured(&learned, s, sample, samples, diag);
        learned.stage[s].fail = declared.stage[s].fail;
        learned.stage[s].fail_again = declared.stage[s].fail_again;
    }
    free(drawn);
    free(sample);
    br_profile_finish(status ? &learned : profile);
    if (!status)
        *profile = learned;
    return status;
}
