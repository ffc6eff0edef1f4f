/* The settings: the options of the command line, grouped by subject. A function takes the group
 * that it needs, and a sub-command passes it on.
 *
 * Every member has its rows in the table of its sub-command, or in options.c if several have it.
 * Texts are borrowed from the arguments; NULL: not given.
 */
#ifndef BR_CLI_OPTIONS_SETTINGS_H
#define BR_CLI_OPTIONS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/numbers/decimal.h"
#include "base/text/options.h"

/* How a job is read, and on which cluster it runs. */
struct cli_job_settings {
    const char *from;
    uint32_t transfer_mode; /* a row */
    struct br_decimal transfer_rate, speed;
    int64_t default_duration_ns;
    uint64_t measured_cores; /* that queries were timed on; 0: not given */
    bool overlap, any_order; /* of a PostgreSQL query's pipelines */
    uint32_t hold;           /* a row: CLI_HOLD_* */
    const char *files;       /* a resource; NULL: none */
    const char *processes;   /* a file; NULL: none */
    const char *durations;   /* a file; NULL: none */
    bool reverse, skip_self_loops;
    const char *duration, *demands; /* attributes of DOT; NULL: not given */
    const char *graph;              /* NULL: the only one */
    const char *cluster, *capacity, *shared;
    uint64_t machines; /* 0: not given */
    const char *port_rate;
};

/* How a job is planned. */
struct cli_search_settings {
    const char *method;
    uint32_t frag_score, effort, bound, objective; /* rows; BR_NO_ROW: not given */
    uint64_t threads, seed, placements;
    uint64_t thresholds;   /* 0: all */
    double troublesome;    /* the most of the work that a set T may have; NAN: not given */
    double tolerance;      /* per cent of the makespan; NAN: not given */
    int64_t time_limit_ns; /* -1: not given; also of what proves a bound */
    bool network;          /* account for transfers */
    const char *store;     /* a file of plans */
    const char *order;     /* a file with an order of tasks to follow */
    const char *minimize;  /* "storage:R"; NULL: the makespan alone */
};

/* How a lower bound is proven, and what is printed of it. */
struct cli_bound_settings {
    int lp;               /* the linear program: 1 wanted, -1 refused, 0 as it suits */
    int64_t lp_time_ns;   /* -1: not given */
    uint64_t conflicts;   /* CLI_CONFLICTS_DEFAULT: not given */
    int64_t cpu_limit_ns; /* -1: not given */
    const char *what_if;
    const char *storage; /* a resource; NULL: not given */
    const char *proof;   /* the form of a proof for others; NULL: not given */
    bool explain, json;
};
#define CLI_CONFLICTS_DEFAULT UINT64_MAX

/* A generated job. */
struct cli_generate_settings {
    const char *like;
    double spread, rocks, ranges; /* NAN: not given */
    uint64_t tasks, stages;       /* 0: as the kind has it */
    uint64_t seed;
    double outputs, outputs_from_end, licences, lags, streams, releases, deadlines, alternatives,
        classes;                                 /* NAN: none */
    const char *output_amount, *output_resource; /* NULL: not given */
};

/* How the record of a cluster becomes a workload. */
struct cli_record_settings {
    uint32_t parallel, group_by; /* rows */
    bool completed_only, cpu_only;
};

/* A workload that is made or changed. */
struct cli_workload_settings {
    const char *like; /* NULL: jobs come from files */
    uint32_t draw;    /* a row; BR_NO_ROW: as it suits */
    uint32_t assign;  /* a row */
    const char *arrivals, *groups, *deadlines;
    double load, scale_time, scale_durations, thin; /* NAN: not given */
    uint64_t count;                                 /* 0: not given */
    uint64_t seed;
    int64_t interarrival_ns, from_ns, to_ns; /* -1: not given */
    bool describe, potential;
};

/* Many jobs. */
struct cli_batch_settings {
    const char *out_dir, *shard;
    bool resume, merge, times;
};

/* A foreign build. */
struct cli_import_settings {
    const char *directory, *file, *printed;
    const char *instrumentation; /* the folder of CMake's snippets; NULL: none */
    const char *name;            /* of the job; NULL: the folder's path */
    const char *parallelism;     /* degrees of a query's pipelines; NULL: those of the plan */
    const char *speed_up;        /* degrees and times of a query; NULL: not given */
    double serial;               /* part of a pipeline's work that one core does; NAN: not given */
    bool measure, list, dirty, whole;
    bool dry, commands; /* of a build: nothing runs; commands are printed as they are */
    bool explain;       /* why they are out of date */
    uint64_t failures;  /* failures after which no command starts; 0: any number */
    uint64_t jobs;      /* commands at once; 0: as many as fit the machine */
};

/* The demands of commands: as measured by runs, or as given by an option. */
struct cli_needs_settings {
    const char *history, *demand;
    double robust; /* NAN: not given */
};

/* Upkeep of measurements. */
struct cli_history_settings {
    const char *rename; /* NULL: not given */
    uint64_t keep;      /* 0: not given */
    bool forget;
};

/* The admission of commands. */
struct cli_admission_settings {
    const char *socket, *key, *plan;
    int64_t idle_ns; /* -1: not given */
    bool status;
};

/* How the enforcer chooses among startable tasks. See cli/options/enforcer.h. */
struct cli_enforcer_settings {
    const char *policy;                /* of what the command drives by the enforcer alone */
    double eta, remote_penalty, kappa; /* NAN: the enforcer's own */
    uint32_t fairness;                 /* a row */
    const char *fungible, *overbook;
    uint64_t bundle;
    bool refine;
};

/* The run of jobs. */
struct cli_run_settings {
    const char *plan, *directory, *journal, *trace, *cgroup;
    uint32_t on;                  /* enum cli_run_place */
    uint32_t effort;              /* BR_NO_ROW: as it suits the number of jobs */
    const char *group, *group_of; /* weights of groups; the groups of the jobs in their order */
    const char *spool;            /* a folder that jobs are taken from */
    uint32_t jobserver;           /* enum cli_jobserver_kind; BR_NO_ROW: the existing one */
    double spread, pilots;        /* NAN: not given; pilots: their share, with learn */
    uint32_t failures;            /* with keep_going: number of failures that end it; 0: no limit */
    bool learn, resume, keep_going, shell, simulate, limit_memory, until_empty;
    uint64_t retries;
    int64_t timeout_ns; /* 0: none */
};

/* A simulated cluster. */
struct cli_simulate_settings {
    const char *policies, *model;
    uint32_t plan_effort; /* BR_NO_ROW: not given */
    const char *errors;
    double failures;                         /* NAN: not given */
    struct br_option_pair stragglers, leave; /* NAN: not given */
    bool lose_outputs;
    struct br_option_pair misjudged; /* percent; NAN: not given */
    const char *averages, *unseen;   /* NULL: not given */
    uint32_t network_policy;         /* a row; BR_NO_ROW: not given */
    uint64_t seed, seeds, clairvoyant, placements;
    bool no_bounds;
};

/* Spark-like executors. */
struct cli_executors_settings {
    uint64_t count;    /* 0: not given */
    int64_t moving_ns; /* to move to another job */
    const char *classes;
    bool draw_requests, simple, yields;
};

/* The control of jobs with deadlines. */
struct cli_control_settings {
    const char *deadlines, *changes, *tables; /* of simulate */
    const char *deadline, *table;             /* of run */
    double within_s;                          /* of deadline --beside; NAN: not given */
    const char *beside;                       /* of deadline */
    const char *utility;                      /* of run, simulate, and deadline --beside */
    double slack, hysteresis, dead_zone, period, on_time; /* NAN: the loop's own */
    uint64_t most;                                        /* 0: not given */
    bool planned, spare, evict;
};

/* Predictors of the work of jobs. */
struct cli_predict_settings {
    const char *predictors, *before, *features;
    double interval;                    /* NAN: not given */
    uint64_t seed, seeds, wide, widest; /* widest 0: not given */
    int64_t from_ns;                    /* -1: not given */
    bool variation;
    const char *windows; /* NULL: not given */
};

/* Tables of the time left of a job. */
struct cli_deadline_settings {
    const char *show, *check;                  /* a table file */
    uint32_t indicator;                        /* a row */
    double failures;                           /* NAN: not given */
    struct br_option_pair stragglers, latency; /* NAN: not given */
    double losses;                             /* NAN: not given */
    uint64_t tokens, runs;                     /* 0: not given */
    uint64_t seed, learned;
    int64_t period_ns;
    bool no_plan;
};

/* The training of a policy. */
struct cli_train_settings {
    uint32_t network, objective, method; /* rows */
    double reach, step;
    struct br_option_pair rate, entropy, length, interarrival; /* length NAN: not given */
    int64_t horizon_ns;
    const char *teacher, *checkpoint, *curve;
    uint64_t executors, count, iterations, episodes, seed, every, trials, trial_seed;
    int64_t moving_ns;
    const char *classes, *deadlines; /* NULL: not given */
    bool resume, own_arrivals, draw_requests, yields, without_graph, without_limits;
};

/* Coflows on a fabric. */
struct cli_coflow_settings {
    const char *policies, *coordinator, *fail;
    uint32_t clock;                             /* a row */
    double port, skew, scale_time, scale_bytes; /* NAN: not given */
    uint64_t wide, repeat;
    bool uneven, bound;
};

/* The output. */
struct cli_output_settings {
    bool by_task;              /* of a job: each task is a stage of its own */
    const char *format, *path; /* -f, -o */
    const char *trace_search;
    uint32_t colour, layout, nodes; /* of pictures; BR_NO_ROW: as it suits */
    bool by_machine, plain, shell, explain, stats, json, verbose, quiet;
};

/* Other options of sub-commands. */
struct cli_about_settings {
    bool help, version, scdoc, certificate;
    const char *job; /* of plans that do not carry it; NULL: not given */
    const char *run; /* of render: the trace of a run; NULL: not given */
};

struct cli_settings {
    struct cli_job_settings job;
    struct cli_search_settings search;
    struct cli_bound_settings bound;
    struct cli_generate_settings generate;
    struct cli_batch_settings batch;
    struct cli_import_settings import;
    struct cli_needs_settings needs;
    struct cli_history_settings history;
    struct cli_admission_settings admission;
    struct cli_enforcer_settings enforcer;
    struct cli_run_settings run;
    struct cli_record_settings record;
    struct cli_workload_settings workload;
    struct cli_simulate_settings simulate;
    struct cli_executors_settings executors;
    struct cli_control_settings control;
    struct cli_predict_settings predict;
    struct cli_deadline_settings deadline;
    struct cli_train_settings train;
    struct cli_coflow_settings coflow;
    struct cli_output_settings output;
    struct cli_about_settings about;
};

#endif
