/* bigrocks-bound: a lower bound on the makespan of a job, by linear programming.
 *
 * A program of its own because of licences: it links GLPK and nothing that must not meet it. It
 * reads one job in the native form that carries its cluster, and writes one JSON object. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <bigrocks/bigrocks.h>

#include "base/numbers/decimal.h"
#include "base/process/parallel.h"
#include "emit/data/certificate_json.h"
#include "lp/solver/coflow_problem.h"
#include "lp/solver/destructive.h"
#include "lp/solver/lines.h"
#include "parsers/jobs/native.h"
#include "planner/bounds/bounds.h"
#include "planner/bounds/certify.h"
#include "planner/instance/part.h"
#include "planner/instance/rounding.h"

/* Without a time limit the work is limited by counts, so that the answer is always the same. */
#define DEFAULT_ROUNDS INT64_C(3000)
#define DEFAULT_NODES INT64_C(10000000)
/* Most times as much, in nanounits. */
#define WORK_MOST INT64_C(1000000000000)
#define THREADS_MOST 1024

static const char help[] =
    "usage: bigrocks-bound [--threads N] [--work FACTOR] [--time-limit SECONDS | --cpu-limit "
    "SECONDS] "
    "[JOB.xml]\n"
    "\n"
    "Reads a job with its cluster in the native XML form, from standard input if no file is\n"
    "given, and writes a proven lower bound on the makespan of every plan as JSON:\n"
    "\n"
    "  {\"lower_bound\": 118, \"method\": \"...\", \"status\": \"optimal\", \"certificate\": "
    "{...}}\n"
    "\n"
    "status: optimal (the relaxation's best), limit (a limit ended the search), large (some part\n"
    "has too many stages for it), fault (the solver failed). The bound holds in all four.\n"
    "\n"
    "  --work FACTOR         stop after so many times a fixed amount of work, so that equal jobs "
    "get\n"
    "                        equal bounds (default: 1 if no time limit is given)\n"
    "  --time-limit SECONDS  stop after about so long\n"
    "  --cpu-limit SECONDS   stop after about so much processor time\n"
    "  --threads N           search for sets by so many threads, on which the bound does not\n"
    "                        depend, without a time limit (default: 1)\n"
    "  --coflows             read releases of coflows and what each has at each port, as\n"
    "                        bigrocks coflow --bound hands them over, and write the weights that\n"
    "                        prove a bound on their mean completion time\n"
    "  --help, --version\n"
    "\n"
    "Example:\n"
    "  bigrocks convert job.dot --cluster rack.xml --format xml | bigrocks-bound --time-limit 10\n";

static int solver_main_fail(const struct br_diag *diag)
{
    char text[1400];
    br_diag_format(diag, text, sizeof text);
    fprintf(stderr, "bigrocks-bound: %s\n", text);
    return (int)diag->status;
}

struct result {
    /* Some part is above the combinatorial bound: by cutting stock, by covers, by intervals. */
    bool lines, covers, raised;
    enum lp_end end;
};

/* Covers alone: work or rounds under weights. */
static bool by_covers(const struct br_proof *proof)
{
    return (proof->kind == BR_PROOF_ENERGY || proof->kind == BR_PROOF_ROUNDS) &&
           proof->measure[proof->energy].kind == BR_MEASURE_WEIGHTS;
}

/* Bounds one part. The worst end of any part is the end of all. False when memory is out. */
static bool bound_part(const struct br_instance *whole, const struct br_instance *part,
                       struct lp_budget *budget, struct br_arena *arena, struct br_proof *proof,
                       struct result *result)
{
    const struct br_bounds_effort all = {.enough = INT64_MAX, .unrounded = true};
    enum lp_end end;
    if (!br_certify_part_by(arena, whole, part, br_bounds_by(part, &all).ticks, &all, proof))
        return false;
    int64_t core = proof->bound;
    int64_t lines = lp_lines_bound(whole, part, NULL, core, budget, arena, proof);
    int64_t ticks = lp_destructive_bound(whole, part, lines, budget, arena, proof, &end);
    result->lines |= lines > core;
    result->covers |= ticks > lines && by_covers(proof);
    result->raised |= ticks > lines && !by_covers(proof);
    if (end > result->end)
        result->end = end;
    return true;
}

/* Bounds a part whose durations are noise around multiples of a long tick: bounds those rounded
 * down, and keeps the combinatorial bound of the true ones if that is better. */
static bool bound_rounded(const struct br_instance *whole, const struct br_instance *part,
                          int64_t rounding, struct lp_budget *budget, struct br_arena *arena,
                          struct br_proof *proof, struct result *result)
{
    const struct br_bounds_effort all = {.enough = INT64_MAX, .unrounded = true};
    struct br_instance *in = br_instance_round(part, rounding);
    struct br_instance *all_in = part == whole ? in : br_instance_round(whole, rounding);
    struct br_proof core;
    bool ok = in && all_in && bound_part(all_in, in, budget, arena, proof, result) &&
              br_certify_part_by(arena, whole, part, br_bounds_by(part, &all).ticks, &all, &core);
    proof->rounding = rounding;
    if (ok && br_proof_ticks(&core) >= br_proof_ticks(proof))
        *proof = core;
    if (all_in != in)
        br_instance_destroy(all_in);
    br_instance_destroy(in);
    return ok;
}

/* Fills the certificate part by part. */
static bool bound_parts(const struct br_instance *whole, const struct br_parts *parts,
                        struct lp_budget *budget, struct br_certificate *c, struct result *result)
{
    *result = (struct result){.end = LP_END_DONE};
    for (uint32_t k = 0; k < parts->count; k++) {
        const struct br_instance *part = parts->part[k];
        const int64_t rounding = br_rounding_noise(part);
        if (rounding > 1
                ? !bound_rounded(whole, part, rounding, budget, &c->arena, &c->part[k], result)
                : !bound_part(whole, part, budget, &c->arena, &c->part[k], result))
            return false;
    }
    return true;
}

static void solver_main_print(const struct br_dag *dag, const struct br_certificate *c,
                              const char *method, enum lp_end end)
{
    static const char *const status_name[] = {
        [LP_END_DONE] = "optimal",
        [LP_END_LARGE] = "large",
        [LP_END_SPENT] = "limit",
        [LP_END_FAULT] = "fault",
    };
    char seconds[BR_SECONDS_TEXT];
    int64_t bound_ns = 0;
    br_certificate_bound(c, &bound_ns);
    br_seconds_format(bound_ns, seconds);
    printf("{\"lower_bound\": %s, \"method\": \"%s\", \"status\": \"%s\",\n \"certificate\": ",
           seconds, method, status_name[end]);
    br_write_certificate(stdout, dag, c, NULL); /* of the job itself: needs no memory */
    puts("}");
}

/* The parts' bounds, or the whole's if the parts bring nothing. */
static enum br_status bound_job(const struct br_dag *dag, const struct br_instance *whole,
                                const struct br_parts *parts, struct lp_budget *budget,
                                struct br_diag *diag)
{
    struct br_certificate *core = br_certify(whole);
    struct br_certificate *c = br_certificate_create(whole->tick_ns, parts->count);
    struct result result;
    int64_t core_ns = 0, ns = 0;
    enum br_status status = BR_OK;
    if (!core || !c || !bound_parts(whole, parts, budget, c, &result)) {
        status = br_fail_memory(diag);
    } else {
        const char *method =
            parts->count > 1 ? "interval LP, sum over the parts between cuts" : "interval LP";
        bool better =
            br_certificate_bound(c, &ns) && br_certificate_bound(core, &core_ns) && ns > core_ns;
        if (!result.raised && result.covers)
            method = parts->count > 1 ? "lifted covers, sum over the parts between cuts"
                                      : "lifted covers";
        else if (!result.raised && result.lines)
            method = parts->count > 1 ? "cutting stock, sum over the parts between cuts"
                                      : "cutting stock";
        else if (!result.raised)
            method = "sum over the parts between cuts";
        solver_main_print(dag, better ? c : core, better ? method : br_bounds_sum(whole).method,
                          result.end);
        if (fflush(stdout) || ferror(stdout))
            status = br_fail(diag, BR_SYSTEM, NULL, "cannot write: %s", strerror(errno));
    }
    br_certificate_destroy(core);
    br_certificate_destroy(c);
    return status;
}

static enum br_status solver_main_bound(const char *path, struct lp_budget *budget,
                                        struct br_diag *diag)
{
    struct br_input input = {0};
    struct br_instance *whole = NULL;
    struct br_parts parts = {0};
    enum br_status status = br_parse_job_xml(path, &input, diag);
    if (!status && !input.cluster)
        status = br_fail(diag, BR_BAD_INPUT,
                         "put a <cluster> inside <job>, as bigrocks convert --cluster does",
                         "the job carries no cluster");
    if (!status)
        status = br_instance_create(input.dag, input.cluster, &whole, diag);
    if (!status)
        status = br_parts_create(whole, &parts, diag);
    struct br_crew *crew = budget->threads > 1 ? br_crew_enter() : NULL;
    if (!status)
        status = bound_job(input.dag, whole, &parts, budget, diag);
    br_crew_leave(crew);
    br_parts_finish(&parts);
    br_instance_destroy(whole);
    br_input_finish(&input);
    return status;
}

static bool solver_main_threads(const char *text, uint32_t *threads)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (!*text || *end || number < 1 || number > THREADS_MOST) {
        fprintf(stderr, "bigrocks-bound: '%s' is no number of threads; give 1 to %d\n", text,
                THREADS_MOST);
        return false;
    }
    *threads = (uint32_t)number;
    return true;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"time-limit", required_argument, NULL, 't'},
        {"cpu-limit", required_argument, NULL, 'c'},
        {"work", required_argument, NULL, 'w'},
        {"coflows", no_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},
        {"parent", required_argument, NULL, 'p'},
        {"threads", required_argument, NULL, 'j'},
        {NULL, 0, NULL, 0},
    };
    double factor = 0, until = 0;
    bool coflows = false;
    uint32_t threads = 1;
    struct br_diag diag = {0};
    int option;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        int64_t ns;
        switch (option) {
        case 'c':
            lp_count_processor_time();
            /* fall through */
        case 't':
            if (br_seconds_parse(optarg, &ns) != BR_DECIMAL_OK || ns <= 0) {
                fprintf(stderr, "bigrocks-bound: '%s' is no time limit; give seconds, such as 10\n",
                        optarg);
                return BR_USAGE;
            }
            until = lp_now() + (double)ns / 1e9;
            break;
        case 'w': /* nanounits serve: a factor has a few digits */
            if (br_seconds_parse(optarg, &ns) != BR_DECIMAL_OK || ns <= 0 || ns > WORK_MOST) {
                fprintf(stderr, "bigrocks-bound: '%s' is no factor; give a number such as 0.5\n",
                        optarg);
                return BR_USAGE;
            }
            factor = (double)ns / 1e9;
            break;
        case 'p':
            /* Ends with the process that started this one: nobody else wants the answer. */
            prctl(PR_SET_PDEATHSIG, (long)SIGKILL, 0L, 0L, 0L);
            if (getppid() != strtol(optarg, NULL, 10))
                return BR_SYSTEM;
            break;
        case 'j':
            if (!solver_main_threads(optarg, &threads))
                return BR_USAGE;
            break;
        case 'f':
            coflows = true;
            break;
        case 'h':
            fputs(help, stdout);
            return BR_OK;
        case 'v':
            printf("bigrocks-bound %s\n", br_version());
            return BR_OK;
        default:
            fputs("bigrocks-bound: see bigrocks-bound --help\n", stderr);
            return BR_USAGE;
        }
    }
    if (argc - optind > 1) {
        fputs("bigrocks-bound: give one job; see bigrocks-bound --help\n", stderr);
        return BR_USAGE;
    }
    struct lp_budget budget = {INT64_MAX, INT64_MAX, until, false, threads};
    if (factor == 0 && until == 0)
        factor = 1;
    if (factor > 0) {
        budget.rounds = (int64_t)(factor * DEFAULT_ROUNDS) + 1;
        budget.nodes = (int64_t)(factor * DEFAULT_NODES) + 1;
    }
    const char *path = optind < argc ? argv[optind] : "-";
    if (coflows ? lp_coflow_problem(path, &budget, &diag) : solver_main_bound(path, &budget, &diag))
        return solver_main_fail(&diag);
    return BR_OK;
}
