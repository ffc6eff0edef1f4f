/* Measures the planner, one case a run; bench/run and its neighbours choose the cases.
 *
 *   bench pass RULE      one pass over a generated job: forward and backward are serial generation
 *                        on the whole job (place.h), the names of the baselines parallel generation
 *                        by their order, graphene the whole search. Only the pass is timed, not the
 *                        making of the job; the quickest of several runs counts.
 *   bench job FILE       reading a job's file and planning it, as the program does
 *   bench pool FILE      the population search alone, on a job of one machine and without anything
 *                        to start from, with an exact number of schedules, as the literature counts
 *   bench compiler       the compiler that made this program
 *
 * The answer is CSV: a line of names and a line of values. Times are CPU times of the process where
 * the name says nothing else, since other processes disturb them least. What a pass costs is spent
 * within measured(), so that callgrind can be told to count there and nowhere else. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <bigrocks/bigrocks.h>

#include "planner/search/method.h"
#include "base/text/options.h"
#include "generate/generate.h"
#include "parsers/jobs/native.h"
#include "parsers/parsers.h"
#include "planner/bounds/bounds.h"
#include "planner/graphene/graphene.h"
#include "planner/schedule/heuristic.h"
#include "planner/schedule/order.h"
#include "planner/rcpsp/population.h"
#include "planner/schedule/schedule.h"

enum { PASS = 1, JOB = 2, COMPILER = 4, POOL = 8 };

struct settings {
    const char *like, *cluster, *capacity, *shared, *method, *set;
    uint64_t tasks, stages, seed, machines, resources, threads, least_ms, runs, schedules;
    struct br_decimal spread;
};

#define MEMBER(name) offsetof(struct settings, name)
#define COUNT(text, word, from, to, commands_, help_)                                              \
    {                                                                                              \
        .name = text, .argument = "N", .help = help_, .commands = commands_,                       \
        .kind = BR_OPTION_COUNT, .offset = MEMBER(word), .least = from, .most = to                 \
    }

static const struct br_option table[] = {
    {.name = "like",
     .argument = "KIND",
     .help = "the kind of job to generate (default: layered)",
     .commands = PASS,
     .kind = BR_OPTION_NAME,
     .offset = MEMBER(like),
     .rows = &br_generate_kinds},
    COUNT("tasks", tasks, 1, BR_MAX_TASKS, PASS, "exactly N tasks (default: 1000)"),
    COUNT("stages", stages, 1, BR_MAX_TASKS, PASS, "exactly N stages (default: the kind's)"),
    {.name = "spread",
     .argument = "S",
     .help = "spread of the durations inside a stage (default: all equal)",
     .commands = PASS,
     .kind = BR_OPTION_AMOUNT,
     .offset = MEMBER(spread)},
    COUNT("seed", seed, 0, UINT64_MAX, PASS | JOB | POOL, "of the random choices (default: 1)"),
    COUNT("machines", machines, 1, BR_MAX_MACHINES, PASS | JOB | POOL,
          "machines (default: 10, of a file its own)"),
    COUNT("resources", resources, 1, 4, PASS, "keep only N of the four (default: 4)"),
    COUNT("threads", threads, 1, 1024, PASS | JOB | POOL, "default: 1"),
    COUNT("schedules", schedules, 1, 1000000000, POOL, "generate at most N (default: 5000)"),
    {.name = "set",
     .argument = "NAME=X,...",
     .help = "parts of the population search, as planner/rcpsp/population.h names them",
     .commands = POOL,
     .kind = BR_OPTION_TEXT,
     .offset = MEMBER(set)},
    COUNT("least", least_ms, 0, 3600000, PASS,
          "run again until N milliseconds have passed (default: 0, one run)"),
    COUNT("runs", runs, 1, 1000, JOB, "run N times; the least times count (default: 1)"),
    {.name = "cluster",
     .argument = "FILE",
     .help = "the cluster",
     .commands = JOB | POOL,
     .kind = BR_OPTION_TEXT,
     .offset = MEMBER(cluster)},
    {.name = "capacity",
     .argument = "LIST",
     .help = "of each of the machines",
     .commands = JOB | POOL,
     .kind = BR_OPTION_TEXT,
     .offset = MEMBER(capacity)},
    {.name = "shared",
     .argument = "LIST",
     .help = "resources that all machines share",
     .commands = JOB,
     .kind = BR_OPTION_TEXT,
     .offset = MEMBER(shared)},
    {.name = "method",
     .argument = "M",
     .help = "planning method (default: best)",
     .commands = JOB,
     .kind = BR_OPTION_NAME,
     .offset = MEMBER(method),
     .rows = &br_methods},
    {0},
};

/* --- clocks -------------------------------------------------------------------------------- */

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct times {
    int64_t cpu_ns, wall_ns, own_ns; /* own: of the calling thread alone */
};

static struct times times_now(void)
{
    return (struct times){clock_ns(CLOCK_PROCESS_CPUTIME_ID), clock_ns(CLOCK_MONOTONIC),
                          clock_ns(CLOCK_THREAD_CPUTIME_ID)};
}

/* The smaller of what was and what has passed since; the first time what was is zero. Of own_ns it
 * makes the CPU time of the busiest thread: of the calling one, or of what the others have on
 * average, if that is more. With a processor for each that is how long it takes. */
static void keep_least(struct times *least, struct times begin, uint64_t threads)
{
    struct times now = times_now();
    int64_t cpu = now.cpu_ns - begin.cpu_ns, wall = now.wall_ns - begin.wall_ns;
    int64_t busiest = now.own_ns - begin.own_ns;
    if (threads > 1 && (cpu - busiest) / (int64_t)(threads - 1) > busiest)
        busiest = (cpu - busiest) / (int64_t)(threads - 1);
    if (least->own_ns == 0 || busiest < least->own_ns)
        least->own_ns = busiest;
    if (least->cpu_ns == 0 || cpu < least->cpu_ns)
        least->cpu_ns = cpu;
    if (least->wall_ns == 0 || wall < least->wall_ns)
        least->wall_ns = wall;
}

/* --- a pass over a generated job ------------------------------------------------------------ */

struct pass {
    const struct settings *settings;
    const char *rule;
    const struct br_heuristic *heuristic; /* NULL for the other rules */
    struct br_instance *in;
    struct br_reach reach;
    struct br_order order;
    struct br_placer *placer;
    struct br_schedule schedule;
    char *letter;
    uint64_t placements, variants;
    int64_t makespan; /* ticks */
};

static bool is_rule(const struct pass *pass, const char *rule)
{
    return strcmp(pass->rule, rule) == 0;
}

/* The part that is counted and timed. False when memory is out. */
__attribute__((noinline)) static bool measured(struct pass *pass)
{
    if (pass->heuristic)
        return pass->heuristic->run(&pass->schedule, pass->in, &pass->reach, pass->settings->seed,
                                    NULL);
    if (pass->placer)
        return br_place(pass->placer, is_rule(pass, "forward") ? BR_FORWARD : BR_BACKWARD,
                        pass->letter, 'S', &pass->order, NULL);
    struct br_plan_options defaults = br_plan_options_default();
    const struct br_graphene_settings settings = {
        .frag_score = defaults.frag_score,
        .threshold_limit = defaults.threshold_limit,
        .troublesome_limit = defaults.troublesome_limit,
        .beat = INT64_MAX,
    };
    struct br_run run = {.in = pass->in, /* the bound is never reached: every candidate is tried */
                         .reach = &pass->reach,
                         .threads = (uint32_t)pass->settings->threads};
    struct br_graphene_report report;
    if (!br_graphene(&run, &settings, &pass->schedule, &report))
        return false;
    pass->placements = run.spent;
    pass->variants = report.variants;
    return true;
}

/* One run, in an empty space. False when memory is out. */
static bool run_once(struct pass *pass, struct times *least)
{
    bool serial = !pass->heuristic && !is_rule(pass, "graphene");
    if (serial && !(pass->placer = br_placer_create(pass->in)))
        return false;
    pass->placements = pass->in->tasks;
    pass->variants = 1;
    struct times begin = times_now();
    bool ok = measured(pass);
    keep_least(least, begin, pass->settings->threads);
    if (ok && serial) {
        const struct br_space *space = br_placer_space(pass->placer);
        pass->makespan = br_space_end(space) - br_space_begin(space);
    } else if (ok) {
        pass->makespan = pass->schedule.makespan;
    }
    br_placer_destroy(pass->placer);
    pass->placer = NULL;
    return ok;
}

/* The job with the demands for the first `resources` of its resources alone. */
static enum br_status narrow(const struct br_dag *wide, uint32_t resources, struct br_dag **narrow,
                             struct br_diag *diag)
{
    enum br_status status = BR_OK;
    struct br_dag *dag = br_dag_create(wide->name);
    char text[BR_DECIMAL_TEXT];
    *narrow = dag;
    if (!dag)
        return br_fail_memory(diag);
    for (uint32_t s = 0; !status && s < wide->stages; s++) {
        const struct br_stage *stage = &wide->stage[s];
        status = br_dag_add_stage(dag, stage->id, stage->tasks, stage->duration_ns, NULL, diag);
        for (uint32_t d = 0; !status && d < stage->demands; d++) {
            const struct br_demand *demand = &wide->demand[stage->first_demand + d];
            if (demand->resource >= resources)
                continue;
            br_decimal_format(demand->amount, text, sizeof text);
            status = br_dag_add_demand(dag, s, wide->resource[demand->resource].name, text, diag);
        }
        for (uint32_t i = 0; !status && i < stage->tasks; i++)
            status = br_dag_set_duration(dag, s, i, wide->duration_ns[stage->first_task + i], diag);
    }
    for (uint32_t e = 0; !status && e < wide->edges; e++)
        status = br_dag_add_edge(dag, wide->edge[e].parent, wide->edge[e].child, wide->edge[e].type,
                                 diag);
    return status ? status : br_dag_finish(dag, diag);
}

static double spread_of(struct br_decimal value)
{
    double spread = (double)value.mantissa;
    for (int32_t e = value.exponent; e < 0; e++)
        spread /= 10;
    for (int32_t e = value.exponent; e > 0; e--)
        spread *= 10;
    return spread;
}

static enum br_status generated(const struct settings *settings, struct br_instance **in,
                                struct br_diag *diag)
{
    struct br_generate_options options = br_generate_options_default();
    struct br_dag *dag = NULL, *narrowed = NULL;
    struct br_cluster *cluster = NULL;
    char capacity[200];
    options.kind = settings->like;
    options.seed = settings->seed;
    options.tasks = (uint32_t)settings->tasks;
    options.stages = (uint32_t)settings->stages;
    options.spread = spread_of(settings->spread);
    snprintf(capacity, sizeof capacity, "cpu=%u,mem=%uMiB,net=%u,disk=%u", BR_GENERATE_CPU,
             BR_GENERATE_MEM_MIB, BR_GENERATE_MB_PER_SEC, BR_GENERATE_MB_PER_SEC);
    enum br_status status = br_generate(&options, &dag, diag);
    if (!status)
        status = br_parse_capacity((uint32_t)settings->machines, capacity, &cluster, diag);
    if (!status && settings->resources < dag->resources)
        status = narrow(dag, (uint32_t)settings->resources, &narrowed, diag);
    if (!status)
        status = br_instance_create(narrowed ? narrowed : dag, cluster, in, diag);
    br_cluster_destroy(cluster);
    br_dag_destroy(narrowed);
    br_dag_destroy(dag);
    return status;
}

static enum br_status prepare(struct pass *pass, struct br_diag *diag)
{
    for (uint32_t k = 0; br_heuristic_at(k); k++)
        if (is_rule(pass, br_heuristic_at(k)->named.name))
            pass->heuristic = br_heuristic_at(k);
    if (!pass->heuristic && !is_rule(pass, "forward") && !is_rule(pass, "backward") &&
        !is_rule(pass, "graphene"))
        return br_fail(diag, BR_USAGE, "use forward, backward, graphene or a baseline's name",
                       "there is no rule '%s'", pass->rule);
    enum br_status status = generated(pass->settings, &pass->in, diag);
    if (status)
        return status;
    struct br_key *key = malloc(pass->in->tasks * sizeof *key);
    pass->letter = malloc(pass->in->tasks);
    bool ok = key && pass->letter && br_schedule_init(&pass->schedule, pass->in) &&
              br_reach_init(&pass->reach, pass->in);
    if (ok) {
        memset(pass->letter, 'S', pass->in->tasks);
        br_key_longest(pass->in, &pass->reach, is_rule(pass, "backward") ? BR_BACKWARD : BR_FORWARD,
                       key);
        ok = br_order_init(&pass->order, pass->in, key);
    }
    free(key);
    return ok ? BR_OK : br_fail_memory(diag);
}

static enum br_status run_pass(const struct settings *settings, const char *rule,
                               struct br_diag *diag)
{
    struct pass pass = {.settings = settings, .rule = rule};
    struct times least = {0};
    uint32_t runs = 0;
    enum br_status status = prepare(&pass, diag);
    for (int64_t begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
         !status && (runs == 0 || clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin <
                                      (int64_t)settings->least_ms * 1000000);
         runs++)
        if (!run_once(&pass, &least))
            status = br_fail_memory(diag);
    if (!status) {
        char makespan[BR_SECONDS_TEXT];
        br_seconds_format(pass.makespan * pass.in->tick_ns, makespan);
        puts("rule,tasks,stages,machines,resources,makespan,placements,variants,runs,cpu_ns,"
             "busiest_cpu_ns,wall_ns");
        printf("%s,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64
               ",%" PRIu32 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
               rule, pass.in->tasks, pass.in->stages, pass.in->machines, pass.in->resources,
               makespan, pass.placements, pass.variants, runs, least.cpu_ns, least.own_ns,
               least.wall_ns);
    }
    br_schedule_finish(&pass.schedule);
    br_order_finish(&pass.order);
    br_reach_finish(&pass.reach);
    free(pass.letter);
    br_instance_destroy(pass.in);
    return status;
}

/* --- a job's file --------------------------------------------------------------------------- */

static enum br_status load(const struct settings *settings, const char *path,
                           struct br_input *input, struct br_diag *diag)
{
    struct br_cluster *cluster = NULL;
    uint32_t machines = settings->machines ? (uint32_t)settings->machines : 1;
    enum br_status status = BR_OK;
    if (settings->cluster)
        status = br_parse_cluster(settings->cluster, &cluster, diag);
    else if (settings->capacity)
        status = br_parse_capacity(machines, settings->capacity, &cluster, diag);
    if (!status && cluster && settings->shared)
        status = br_parse_shared(settings->shared, cluster, diag);
    if (!status)
        status = br_parse_job(path, NULL, input, diag);
    if (!status && cluster) {
        br_cluster_destroy(input->cluster);
        input->cluster = cluster;
    } else {
        br_cluster_destroy(cluster);
    }
    if (!status && !input->cluster)
        return br_fail(diag, BR_USAGE, "add --capacity or --cluster", "there is no cluster");
    return status;
}

static void print_job(const struct settings *settings, const struct br_input *input,
                      const struct br_plan *plan, struct times parse, struct times make)
{
    char makespan[BR_SECONDS_TEXT], bound[BR_SECONDS_TEXT];
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    br_seconds_format(br_plan_makespan_ns(plan), makespan);
    br_seconds_format(br_plan_lower_bound_ns(plan), bound);
    puts("tasks,stages,machines,method,makespan,bound,gap,placements,parse_cpu_ns,plan_cpu_ns,"
         "plan_wall_ns,peak_kib");
    printf("%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%s,%s,%s,%.6f,%" PRIu64 ",%" PRId64 ",%" PRId64
           ",%" PRId64 ",%ld\n",
           br_dag_task_count(input->dag), br_dag_stage_count(input->dag),
           br_cluster_machine_count(input->cluster), settings->method, makespan, bound,
           br_plan_gap(plan), plan->placements, parse.cpu_ns, make.cpu_ns, make.wall_ns,
           usage.ru_maxrss);
}

static enum br_status run_job(const struct settings *settings, const char *path,
                              struct br_diag *diag)
{
    struct br_plan_options options = br_plan_options_default();
    struct times parse = {0}, make = {0};
    enum br_status status = BR_OK;
    options.method = settings->method;
    options.seed = settings->seed;
    options.threads = (uint32_t)settings->threads;
    for (uint64_t k = 0; !status && k < settings->runs; k++) {
        struct br_input input = {0};
        struct br_plan *plan = NULL;
        struct times begin = times_now();
        status = load(settings, path, &input, diag);
        if (!status) {
            keep_least(&parse, begin, 1);
            begin = times_now();
            status = br_plan_make(input.dag, input.cluster, &options, &plan, diag);
            keep_least(&make, begin, 1);
        }
        if (!status && k + 1 == settings->runs)
            print_job(settings, &input, plan, parse, make);
        br_plan_destroy(plan);
        br_input_finish(&input);
    }
    return status;
}

/* --- the population search alone ------------------------------------------------------------- */

static void set_count(void *member, double value)
{
    *(uint32_t *)member = (uint32_t)value;
}

static void set_share(void *member, double value)
{
    *(double *)member = value;
}

/* Parts of the search otherwise than by default: for measuring what each is good for. */
static enum br_status set_parts(const char *text, struct br_population_settings *set,
                                struct br_diag *diag)
{
#define PART(name, put, least)                                                                     \
    {                                                                                              \
#name, &set->name, put, least                                                              \
    }
    const struct part {
        const char *name;
        void *member;
        void (*put)(void *member, double value);
        double least;
    } part[] = {
        PART(blocks, set_count, 1),     PART(population, set_count, 0),
        PART(tournament, set_share, 1), PART(selective, set_share, 1),
        PART(left, set_share, 0),       PART(niche, set_share, 0),
        PART(patience, set_count, 1),   PART(shortest, set_share, 0),
        PART(longest, set_share, 0),    PART(turn, set_count, 0),
        PART(cross, set_share, 0),      PART(swaps, set_share, 0),
        PART(fresh, set_count, 0),      PART(parallel, set_share, 0),
        PART(late, set_share, 0),       PART(redraw, set_share, 0),
        PART(blur, set_share, 0),       PART(serial, set_share, 0),
        PART(starts, set_count, 0),
    };
#undef PART
    while (text && *text) {
        size_t k = 0, count = sizeof part / sizeof part[0], length = strcspn(text, "=");
        while (k < count &&
               (strlen(part[k].name) != length || strncmp(text, part[k].name, length) != 0))
            k++;
        char *end = NULL;
        double value = text[length] && k < count ? strtod(text + length + 1, &end) : 0;
        if (!end || end == text + length + 1 || (*end && *end != ',') ||
            !(value >= part[k].least && value <= 1e6))
            return br_fail(diag, BR_USAGE, "as population=100,swaps=0",
                           "'%s' is no part of the search", text);
        part[k].put(part[k].member, value);
        text = *end ? end + 1 : end;
    }
    return BR_OK;
}

static enum br_status search_pool(const struct settings *settings, struct br_instance *in,
                                  struct br_diag *diag)
{
    struct br_reach reach = {0};
    struct br_elite elite = {0};
    struct br_run run = {.in = in,
                         .reach = &reach,
                         .seed = settings->seed,
                         .threads = (uint32_t)settings->threads,
                         .placements = settings->schedules * in->tasks,
                         .elite = &elite};
    struct br_population_settings set = br_population_settings_default();
    enum br_status status = set_parts(settings->set, &set, diag);
    if (status)
        return status;
    struct times begin = times_now(), least = {0};
    run.lower_bound = br_bounds_best(in, INT64_MAX).ticks;
    if (!br_reach_init(&reach, in) || !br_elite_init(&elite, in, 1) ||
        !br_population_search(&run, &set))
        status = br_fail_memory(diag);
    keep_least(&least, begin, settings->threads);
    if (!status) {
        char makespan[BR_SECONDS_TEXT], path[BR_SECONDS_TEXT];
        br_seconds_format(elite.entry[0].schedule.makespan * in->tick_ns, makespan);
        br_seconds_format(reach.critical_path * in->tick_ns, path);
        puts("tasks,makespan,critical_path,schedules,cpu_ns");
        printf("%" PRIu32 ",%s,%s,%" PRIu64 ",%" PRId64 "\n", in->tasks, makespan, path,
               run.spent / in->tasks, least.cpu_ns);
    }
    br_elite_finish(&elite);
    br_reach_finish(&reach);
    return status;
}

static enum br_status run_pool(const struct settings *settings, const char *path,
                               struct br_diag *diag)
{
    struct br_input input = {0};
    struct br_instance *in = NULL;
    enum br_status status = load(settings, path, &input, diag);
    if (!status)
        status = br_instance_create(input.dag, input.cluster, &in, diag);
    if (!status && in->machines != 1)
        status = br_fail(diag, BR_USAGE, NULL, "the job's cluster has several machines");
    if (!status)
        status = search_pool(settings, in, diag);
    br_instance_destroy(in);
    br_input_finish(&input);
    return status;
}

/* --- the command line ----------------------------------------------------------------------- */

#ifdef __OPTIMIZE__
#define OPTIMIZED "optimized"
#else
#define OPTIMIZED "not optimized"
#endif
#ifdef __clang__
#define COMPILER_NAME "clang"
#else
#define COMPILER_NAME "gcc"
#endif

int main(int arguments, char **argument)
{
    struct settings settings = {.like = "layered",
                                .method = "best",
                                .tasks = 1000,
                                .seed = 1,
                                .resources = 4,
                                .threads = 1,
                                .runs = 1,
                                .schedules = 5000};
    struct br_diag diag = {0};
    const char *positional[1] = {NULL};
    uint32_t positionals = 0;
    const char *word = arguments > 1 ? argument[1] : "";
    uint32_t command = strcmp(word, "pass") == 0       ? PASS
                       : strcmp(word, "job") == 0      ? JOB
                       : strcmp(word, "pool") == 0     ? POOL
                       : strcmp(word, "compiler") == 0 ? COMPILER
                                                       : 0;
    enum br_status status = BR_OK;
    if (!command)
        status = br_fail(&diag, BR_USAGE, "the commands are pass, job, pool and compiler",
                         "there is no command '%s'", word);
    else
        status = br_options_parse(table, command, arguments - 2, argument + 2, &settings,
                                  positional, 1, &positionals, &diag);
    if (!status && command == COMPILER)
        printf("compiler,version,code\n%s,%d,%s\n", COMPILER_NAME, __GNUC__, OPTIMIZED);
    else if (!status && positionals != 1)
        status = br_fail(&diag, BR_USAGE, NULL, "give one %s", command == PASS ? "rule" : "file");
    if (!status && command == PASS && settings.machines == 0)
        settings.machines = 10;
    if (!status && command != COMPILER)
        status = command == PASS   ? run_pass(&settings, positional[0], &diag)
                 : command == POOL ? run_pool(&settings, positional[0], &diag)
                                   : run_job(&settings, positional[0], &diag);
    if (status) {
        char text[1400];
        br_diag_format(&diag, text, sizeof text);
        fprintf(stderr, "bench: %s\n", text);
    }
    return (int)status;
}
