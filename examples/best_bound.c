/* Proves how short no plan can be, within limits, and keeps the proof.
 *
 *   cc best_bound.c $(pkg-config --cflags --libs bigrocks) -o best_bound && ./best_bound
 *
 * Five reports of 10 minutes each lock two of five tables, beside an import of a minute that all
 * wait for. The bound is by what the library knows itself, and by linear programs if the program
 * bigrocks-bound is installed. Ctrl-C ends it with the best so far. Prints the bounds, and checks
 * the proof as anybody can who gets it as text.
 */
#include <bigrocks/bigrocks.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS INT64_C(1000000000)
#define TABLES 5

static struct br_stop stop;

static void interrupt(int number)
{
    (void)number;
    br_stop_raise(&stop);
}

static enum br_status build(struct br_dag *dag, struct br_cluster *cluster, struct br_diag *diag)
{
    uint32_t first, stage, cls;
    enum br_status status = br_dag_add_stage(dag, "import", 1, 60 * SECONDS, &first, diag);
    if (status == BR_OK)
        status = br_cluster_add_class(cluster, "database", 1, &cls, diag);
    for (int k = 0; k < TABLES && status == BR_OK; k++) {
        char report[16], table[2][16];
        snprintf(report, sizeof report, "report-%d", k);
        status = br_dag_add_stage(dag, report, 1, 600 * SECONDS, &stage, diag);
        for (int lock = 0; lock < 2 && status == BR_OK; lock++) {
            snprintf(table[lock], sizeof table[lock], "table-%d", (k + lock) % TABLES);
            status = br_dag_add_demand(dag, stage, table[lock], "1", diag);
        }
        if (status == BR_OK)
            status = br_dag_add_edge(dag, first, stage, BR_BARRIER, diag);
        if (status == BR_OK)
            status = br_cluster_add_capacity(cluster, cls, table[0], "1", diag);
    }
    return status == BR_OK ? br_dag_finish(dag, diag) : status;
}

static void print_bounds(const struct br_bound_result *bound)
{
    printf("no plan takes less than %.0f s (%s)\n", (double)bound->lower_bound_ns / SECONDS,
           bound->method);
    printf("combinatorial: %.0f s (%s)\n", (double)bound->core_ns / SECONDS, bound->core_method);
    if (bound->clause_ns)
        printf("clause learning: %.0f s\n", (double)bound->clause_ns / SECONDS);
    if (bound->source.found)
        printf("linear programs: %.0f s (%s)\n", (double)bound->source.lower_bound_ns / SECONDS,
               bound->source.method);
    else
        printf("linear programs: %s\n", bound->source.why);
}

/* Checks the proof as a stranger who gets it as text: nothing is believed. */
static enum br_status check_text(const char *proof, const struct br_dag *dag,
                                 const struct br_cluster *cluster, int64_t bound_ns,
                                 struct br_diag *diag)
{
    struct br_certificate *certificate;
    enum br_status status = br_certificate_read(proof, strlen(proof), dag, &certificate, diag);
    if (status == BR_OK)
        status = br_certificate_verify(certificate, dag, cluster, bound_ns, diag);
    if (status == BR_OK)
        puts("the proof holds");
    br_certificate_destroy(certificate);
    return status;
}

int main(void)
{
    enum br_status status = BR_SYSTEM;
    struct br_diag diag = {.what = "out of memory"};
    struct br_bound_result bound = {0};
    struct br_dag *dag = br_dag_create("reports");
    struct br_cluster *cluster = br_cluster_create(NULL);
    char *proof = NULL;
    if (!dag || !cluster)
        goto out;

    status = build(dag, cluster, &diag);
    if (status == BR_OK) {
        /* Handing over this source allows the library to start a child process. */
        const struct br_bound_source program = br_bound_program(NULL);
        struct br_bound_options options = br_bound_options_default();
        options.source = &program;
        options.time_limit_ns = 5 * SECONDS;
        options.stop = &stop;
        signal(SIGINT, interrupt);
        status = br_bound_best(dag, cluster, &options, &bound, &diag);
        signal(SIGINT, SIG_DFL);
    }
    if (status == BR_OK) {
        print_bounds(&bound);
        proof = bound.certificate ? br_certificate_text(bound.certificate, dag) : NULL;
        if (proof)
            status = check_text(proof, dag, cluster, bound.lower_bound_ns, &diag);
    }
out:
    if (status != BR_OK) {
        char text[1400];
        br_diag_format(&diag, text, sizeof text);
        fprintf(stderr, "best_bound: %s\n", text);
    }
    free(proof);
    br_bound_result_finish(&bound);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
    return (int)status;
}
