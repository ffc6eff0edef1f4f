#include "parsers/spark/gaps.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/numbers/decimal.h"

struct teller {
    const struct br_spark_log *log;
    br_spark_tell *tell;
    void *context;
    enum br_status status;
};

static void gaps_say(struct teller *teller, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void gaps_say(struct teller *teller, const char *format, ...)
{
    char text[320];
    va_list args;
    if (teller->status)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    teller->status = teller->tell(teller->context, text);
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static const char *gaps_seconds(br_wide ns, char text[BR_SECONDS_TEXT])
{
    br_seconds_format(ns < INT64_MAX ? (int64_t)ns : INT64_MAX, text);
    return text;
}

/* Jobs whose end is not in the log, or that failed. */
static void tell_jobs(struct teller *teller)
{
    const struct br_spark_log *log = teller->log;
    uint32_t open = 0, first_open = 0, failed = 0, first_failed = 0, unsubmitted = 0;
    for (uint32_t j = 0; j < log->jobs; j++) {
        const struct br_spark_job *job = &log->job[j];
        if (!job->ended && open++ == 0)
            first_open = job->id;
        if (job->failed && failed++ == 0)
            first_failed = job->id;
        unsubmitted += !job->submit_told;
    }
    if (open)
        gaps_say(teller,
                 "%" PRIu32 " of %" PRIu32 " jobs have no end (the first: job %" PRIu32
                 "): the log is cut, or was copied while they ran",
                 open, log->jobs, first_open);
    else if (!log->ended)
        gaps_say(teller, "the log does not have the application's end, so jobs may be missing");
    if (failed)
        gaps_say(teller,
                 "%" PRIu32 " of %" PRIu32 " jobs failed (the first: job %" PRIu32
                 "), so parts of them are missing",
                 failed, log->jobs, first_failed);
    if (unsubmitted)
        gaps_say(teller,
                 "%" PRIu32 " job%s without a submission time: the first launch of a task counts",
                 unsubmitted, plural(unsubmitted));
}

/* Stages in which fewer tasks succeeded than their first attempt had. */
static void tell_missing_tasks(struct teller *teller)
{
    const struct br_spark_log *log = teller->log;
    const struct br_spark_stage *part = NULL, *none = NULL;
    uint32_t parts = 0, nones = 0, last = log->jobs ? log->first_ran[log->jobs] : 0;
    for (uint32_t k = 0; k < last; k++) {
        const struct br_spark_stage *stage = &log->stage[log->ran[k]];
        if (stage->tasks >= stage->told)
            continue;
        if (stage->tasks > 0 && parts++ == 0)
            part = stage;
        if (stage->tasks == 0 && nones++ == 0)
            none = stage;
    }
    assert((!parts || part) && (!nones || none));
    if (parts)
        gaps_say(teller,
                 "tasks of %" PRIu32 " stage%s are missing (the first: stage %" PRIu32
                 " said %" PRIu32 " tasks, and %" PRIu32 " ended with success)",
                 parts, plural(parts), part->id, part->told, part->tasks);
    if (nones)
        gaps_say(teller,
                 "%" PRIu32 " stage%s without a task that succeeded count as 0 s (the first: stage "
                 "%" PRIu32 " said %" PRIu32 " tasks, and %" PRIu32 " attempts failed)",
                 nones, plural(nones), none->id, none->told, none->lost);
}

/* Stages whose order is unknown, or differed from the log's. */
static void tell_order(struct teller *teller)
{
    const struct br_spark_log *log = teller->log;
    const struct br_spark_stage *reader = NULL, *writer = NULL;
    uint32_t unlinked = 0, beside = 0, barriers = 0;
    uint32_t first_barrier = 0, last = log->jobs ? log->first_ran[log->jobs] : 0;
    for (uint32_t k = 0; k < last; k++) {
        const struct br_spark_stage *stage = &log->stage[log->ran[k]];
        const struct br_spark_stage *found = NULL;
        unlinked += !stage->linked;
        for (uint32_t p = 0; p < stage->parents && !found; p++) {
            const struct br_spark_stage *parent = &log->stage[log->parent[stage->first_parent + p]];
            if (parent->job == stage->job && parent->attempt == 0 &&
                br_spark_runs_beside(parent, stage))
                found = parent;
        }
        if (found && beside++ == 0) {
            reader = stage;
            writer = found;
        }
        if (stage->barrier && stage->tasks && barriers++ == 0)
            first_barrier = stage->id;
    }
    if (unlinked)
        gaps_say(teller,
                 "%" PRIu32
                 " stage%s without 'Parent IDs', as early Spark 1.x wrote them: a stage waits "
                 "for those of its job that had ended when it began",
                 unlinked, plural(unlinked));
    assert(!beside || (reader && writer));
    if (beside)
        gaps_say(
            teller,
            "%" PRIu32 " stage%s began before what %s from had ended (the first: stage %" PRIu32
            " beside stage %" PRIu32 "), as behind a pipelined shuffle: no order is kept between "
            "them, and their times may hold waiting",
            beside, plural(beside), beside == 1 ? "it reads" : "they read", reader->id, writer->id);
    if (barriers)
        gaps_say(teller,
                 "%" PRIu32 " barrier stage%s (the first: stage %" PRIu32
                 "), whose tasks start together: each is one task with the cores of all",
                 barriers, plural(barriers), first_barrier);
}

enum br_status br_spark_gaps(const struct br_spark_log *log, br_spark_tell *tell, void *context)
{
    struct teller teller = {log, tell, context, BR_OK};
    char text[BR_SECONDS_TEXT];
    tell_jobs(&teller);
    tell_missing_tasks(&teller);
    tell_order(&teller);
    if (log->lost.count)
        gaps_say(&teller,
                 "left out %" PRIu32
                 " attempt%s at tasks that failed, were killed or came second (%s s)",
                 log->lost.count, plural(log->lost.count), gaps_seconds(log->lost.ns, text));
    if (log->recovered.count)
        gaps_say(&teller,
                 "left out %" PRIu32 " stage%s (%" PRIu32
                 " tasks, %s s) that recomputed what was lost with an executor",
                 log->recovered.count, plural(log->recovered.count), log->recovered.tasks,
                 gaps_seconds(log->recovered.ns, text));
    if (log->orphans)
        gaps_say(&teller, "left out %" PRIu32 " stage%s of no job of the log", log->orphans,
                 plural(log->orphans));
    return teller.status;
}
