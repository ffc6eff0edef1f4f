/* How long a prediction by the posterior takes, and what learning a job costs.
 *
 *   predictions [ROWS]
 *
 * A history of ROWS (default 1,000,000) single durations, of jobs of 3 to 32 tasks: 1,000 programs,
 * their users, groups and hours, four features. Then 200,000 jobs are predicted from one pilot
 * each.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/numbers/real.h"
#include "runtime/predict/predictor.h"

enum { FEATURES = 4, PREDICTIONS = 200000, BATCH = 1000, TASKS_MOST = 32 };

/* Of this program's processor time, so that others on the machine do not count. */
static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

struct made {
    uint64_t feature[FEATURES];
    int64_t duration_ns[TASKS_MOST];
    struct br_predict_stage stage;
};

/* A job of a program, of which a few run much more often than others. */
static struct br_predict_job make(struct br_rng *rng, uint32_t number, struct made *made)
{
    uint64_t program = br_rng_below(rng, 1000) * br_rng_below(rng, 1000) / 1000;
    uint32_t tasks = 3 + (uint32_t)br_rng_below(rng, TASKS_MOST - 2);
    double mean = 3 + (double)(program % 5) + 0.3 * br_real_normal(rng);
    double spread = 0.05 * (double)(1 + program % 8);
    made->feature[0] = 1 + program / 10;
    made->feature[1] = 1000 + program;
    made->feature[2] = 5000 + program % 7;
    made->feature[3] = 9000 + br_rng_below(rng, 24);
    for (uint32_t k = 0; k < tasks; k++)
        made->duration_ns[k] =
            br_real_whole(1e9 * br_real_exp(mean + spread * br_real_normal(rng)));
    made->stage = (struct br_predict_stage){7, tasks, tasks, made->duration_ns};
    return (struct br_predict_job){number, made->feature, 1, &made->stage};
}

int main(int count, char **argument)
{
    const struct br_predict_setup setup = br_predict_setup_default(FEATURES);
    const struct br_predictor_row *row;
    struct br_estimate estimate;
    struct br_rng rng = br_rng_seed(1);
    struct br_diag diag = {0};
    struct made made;
    void *predictor;
    double number, rows = count > 1 ? strtod(argument[1], NULL) : 1e6, seen = 0;
    uint32_t jobs = 0, known = 0;
    if (br_predictor_find("posterior", &row, &number, &diag) ||
        row->create(row, &setup, &predictor, &diag)) {
        fprintf(stderr, "%s\n", diag.what);
        return 2;
    }
    double began_us = now_us();
    for (; seen < rows; jobs++) {
        const struct br_predict_job job = make(&rng, jobs, &made);
        if (row->learn(predictor, &job, NAN, &diag))
            return 5;
        seen += made.stage.tasks;
    }
    double learn_us = now_us() - began_us, predict_us = 0;
    for (uint32_t batch = 0; batch < PREDICTIONS / BATCH; batch++) {
        static struct made next[BATCH];
        struct br_predict_job job[BATCH];
        for (uint32_t k = 0; k < BATCH; k++) {
            job[k] = make(&rng, jobs + batch * BATCH + k, &next[k]);
            next[k].stage.measured = 1;
        }
        double before_us = now_us();
        for (uint32_t k = 0; k < BATCH; k++) {
            row->predict(predictor, &job[k], &estimate, NULL);
            known += estimate.known;
        }
        predict_us += now_us() - before_us;
    }
    double each_us = predict_us / PREDICTIONS;
    printf("%u jobs learnt, %.2f us each; %u predicted, %.2f us each: %.0f a second\n", jobs,
           learn_us / jobs, known, each_us, 1e6 / each_us);
    row->destroy(predictor);
    return 0;
}
