/* The pace of a stage is the true over the declared time of its ended tasks, beside one task more
 * of the job's pace, for those that end first are often the shorter ones. The job's pace is the
 * geometric mean over stages of which a task has ended, and 1 as one more: with errors of jobs and
 * of stages alike in size, what is most likely. */
#include "cluster/simulate/joint/pace.h"

#include <assert.h>

#include "base/numbers/real.h"

static struct br_joint_seen *seen_of(struct br_joint_job *job, uint32_t task)
{
    return &job->seen[job->task_stage[task]];
}

void br_pace_start(struct br_joint_job *job, uint32_t task)
{
    seen_of(job, task)->waiting_ns -= (double)job->duration_ns[task];
}

void br_pace_again(struct br_joint_job *job, uint32_t task)
{
    seen_of(job, task)->waiting_ns += (double)job->duration_ns[task];
}

void br_pace_end(struct br_joint_job *job, uint32_t task, int64_t lasted_ns)
{
    struct br_joint_seen *seen = seen_of(job, task);
    seen->ended++;
    assert(seen->ended <= job->stage[job->task_stage[task]].tasks);
    seen->declared_ns += (double)job->duration_ns[task];
    seen->lasted_ns += (double)lasted_ns;
    job->news = true;
}

static double pace_of_job(const struct br_joint_job *job)
{
    double sum = 0;
    uint32_t count = 1;
    for (uint32_t s = 0; s < job->stages; s++) {
        const struct br_joint_seen *seen = &job->seen[s];
        if (seen->declared_ns > 0 && seen->lasted_ns > 0) {
            sum += br_real_log(seen->lasted_ns / seen->declared_ns);
            count++;
        }
    }
    return br_real_exp(sum / count);
}

void br_pace_settle(struct br_joint_job *job, double *work, double *total_work)
{
    if (!job->news)
        return;
    job->news = false;
    double whole = pace_of_job(job);
    for (uint32_t s = 0; s < job->stages; s++) {
        const struct br_joint_seen *seen = &job->seen[s];
        struct br_joint_stage *stage = &job->stage[s];
        double pace = whole;
        if (seen->declared_ns > 0 && seen->lasted_ns > 0) {
            assert(seen->ended);
            double one_ns = seen->declared_ns / seen->ended;
            pace = (seen->lasted_ns + whole * one_ns) / (seen->declared_ns + one_ns);
        }
        assert(pace > 0);
        double more_ns = (pace - stage->pace) * seen->waiting_ns;
        *work += stage->share * more_ns;
        *total_work += stage->sum * more_ns;
        stage->pace = pace;
    }
}

double br_pace_alone(const struct br_joint_job *job)
{
    double most = job->work, declared_ns = 0, lasted_ns = 0;
    for (uint32_t s = 0; s < job->stages; s++) {
        if ((double)job->stage[s].tail_ns > most)
            most = (double)job->stage[s].tail_ns;
        declared_ns += job->seen[s].declared_ns;
        lasted_ns += job->seen[s].lasted_ns;
    }
    return declared_ns > 0 ? most * (lasted_ns / declared_ns) : most;
}
