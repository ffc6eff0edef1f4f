/* Files of stores: whoever writes at once, whatever the file holds, nothing is lost and nothing
 * wrong comes out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "base/process/parallel.h"
#include "store/file.h"
#include "tests/store/store_fixture.h"

/* ---- Several at once ---- */

enum { WRITERS = 4, EACH = 20 };

/* Its own jobs, and between them one that all of them put, each with another plan. */
static void write_many(struct br_store *store, uint32_t writer)
{
    static const char *const method[WRITERS] = {"random", "dfs", NULL, "bfs"};
    struct random_job shared;
    assert_true(random_job_make(1000000, 40, 0, &shared));
    struct br_plan *common = store_make_plan(&shared, method[writer]);
    for (uint32_t k = 0; k < EACH; k++) {
        struct random_job job;
        assert_true(random_job_make(1 + writer * EACH + k, 24, 0, &job));
        struct br_plan *plan = store_make_plan(&job, NULL);
        store_put(store, &job, NULL, plan);
        store_put(store, &shared, NULL, common);
        br_plan_destroy(plan);
        random_job_finish(&job);
    }
    br_plan_destroy(common);
    random_job_finish(&shared);
}

static void check_many(struct br_store *store)
{
    struct random_job job;
    struct br_store_hit hit;
    for (uint32_t seed = 1; seed <= WRITERS * EACH; seed++) {
        assert_true(random_job_make(seed, 24, 0, &job));
        br_plan_destroy(store_get(store, &job, NULL, &hit));
        assert_int_equal(hit.match, BR_STORE_EXACT);
        random_job_finish(&job);
    }
    assert_true(random_job_make(1000000, 40, 0, &job));
    struct br_plan *best = store_make_plan(&job, NULL), *found = store_get(store, &job, NULL, &hit);
    assert_int_equal(hit.match, BR_STORE_EXACT);
    assert_int_equal(found->makespan_ns, best->makespan_ns);
    br_plan_destroy(best);
    br_plan_destroy(found);
    random_job_finish(&job);
}

/* Processes that put at once, and make the file at once, lose no plan, and the shortest stays. */
static void test_processes(void **state)
{
    pid_t child[WRITERS];
    for (uint32_t w = 0; w < WRITERS; w++) {
        child[w] = fork();
        if (child[w] == 0) { /* whose failed assertions would go on with the next test */
            struct br_store *store;
            struct br_diag diag = {0};
            if (br_store_open(database_path, &store, &diag)) {
                fprintf(stderr, "%s\n", diag.what);
                _exit(1);
            }
            write_many(store, w);
            br_store_close(store);
            _exit(0);
        }
        assert_true(child[w] > 0);
    }
    for (uint32_t w = 0; w < WRITERS; w++) {
        int status = -1;
        assert_int_equal(waitpid(child[w], &status, 0), child[w]);
        assert_int_equal(status, 0);
    }
    struct br_store *store = store_open();
    check_many(store);
    br_store_close(store);
}

static bool write_some(void *context, uint32_t worker, uint32_t turn)
{
    write_many(context, turn);
    return true;
}

static void test_threads(void **state)
{
    struct br_store *store = store_open();
    br_parallel(WRITERS, WRITERS, write_some, store);
    check_many(store);
    br_store_close(store);
}

/* ---- Files that are not what they say ---- */

static void refuse(const char *text, size_t size, const char *words)
{
    struct br_store *store;
    struct br_diag diag = {0};
    database_remove(NULL);
    FILE *file = fopen(database_path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(br_store_open(database_path, &store, &diag), BR_BAD_INPUT);
    assert_null(store);
    if (!strstr(diag.what, words) || !*diag.hint || strcmp(diag.file, database_path) != 0)
        fail_msg("%s: %s; %s", diag.file, diag.what, diag.hint);
}

static char *read_whole(size_t *size)
{
    struct stat about;
    assert_int_equal(stat(database_path, &about), 0);
    *size = (size_t)about.st_size;
    char *bytes = malloc(*size);
    FILE *file = fopen(database_path, "r");
    assert_true(bytes && file);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* Bytes changed and files cut short end in a plan of the job, a miss or an error; put as well. */
static void test_damage(void **state)
{
    struct random_job job = store_open_job();
    struct br_plan *plan = store_make_plan(&job, NULL);
    struct br_store *store = store_open();
    store_put(store, &job, NULL, plan);
    br_store_close(store);
    size_t size;
    char *whole = read_whole(&size);
    refuse("no database at all, and longer than nothing", 43, "not a database");
    /* The version in the header of the file. */
    char other = whole[63];
    whole[63]++;
    refuse(whole, size, "another kind");
    whole[63] = other;
    unsigned errors = 0, misses = 0, hits = 0;
    struct br_rng rng = br_rng_seed(7);
    for (unsigned k = 0; k < random_jobs(600); k++) {
        struct br_diag diag = {0};
        const size_t cut = k % 10 == 0 ? br_rng_below(&rng, size) : size;
        char *bytes = malloc(size);
        memcpy(bytes, whole, size);
        for (int n = 0; n < 3 && k % 10; n++)
            bytes[br_rng_below(&rng, size)] ^= (char)(1 << br_rng_below(&rng, 8));
        database_remove(NULL);
        FILE *file = fopen(database_path, "w");
        assert_true(file && fwrite(bytes, 1, cut, file) == cut && fclose(file) == 0);
        free(bytes);
        enum br_status status = br_store_open(database_path, &store, &diag);
        struct br_store_hit hit;
        struct br_plan *found = NULL;
        if (!status)
            status = br_store_get(store, job.dag, job.cluster, NULL, &found, &hit, &diag);
        if (status) {
            assert_true(status == BR_BAD_INPUT || status == BR_SYSTEM);
            assert_true(*diag.what != 0);
            errors++;
        } else if (found) {
            assert_int_equal(br_plan_verify(found, job.dag, job.cluster, 1, NULL, NULL, &diag), 0);
            hits++;
        } else {
            misses++;
        }
        br_plan_destroy(found);
        if (!status && !br_store_put(store, job.dag, job.cluster, NULL, plan, &diag) &&
            !br_store_get(store, job.dag, job.cluster, NULL, &found, &hit, &diag))
            br_plan_destroy(found);
        br_store_close(store);
    }
    assert_true(errors && misses && hits);
    free(whole);
    br_plan_destroy(plan);
    random_job_finish(&job);
}

/* Rows whose checksums are right and whose plans are wrong: no wrong plan comes out of them, nor a
 * bound that is not one; and a put replaces them, however short they claim to be. */
static void test_forged(void **state)
{
    struct random_job job = store_open_job();
    struct br_plan *plan = store_make_plan(&job, NULL);
    struct br_store *store = store_open();
    store_put(store, &job, NULL, plan);
    br_store_close(store);
    struct br_store_keys keys = {br_dag_fingerprint(job.dag, false),
                                 br_dag_details_fingerprint(job.dag),
                                 br_cluster_fingerprint(job.cluster)};
    char *more = br_certificate_text(plan->certificate, job.dag);
    plan->certificate->part[0].bound++;
    char *false_proof = br_certificate_text(plan->certificate, job.dag);
    plan->certificate->part[0].bound--;
    assert_string_not_equal(more, false_proof);
    free(more);
    for (int kind = 0; kind < 7; kind++) {
        struct br_store_file *file;
        struct br_store_row row;
        struct br_store_hit hit;
        bool written;
        assert_int_equal(br_store_file_open(database_path, &file, NULL), BR_OK);
        assert_int_equal(br_store_file_find(file, &keys, BR_STORE_SAME, INT64_MAX, &row, NULL),
                         BR_OK);
        unsigned char *cells = (unsigned char *)row.cells;
        row.makespan_ns = 1;
        if (kind == 0)
            memset(cells, 0, row.cells_size); /* all at once on the first machine */
        else if (kind == 1)
            memset(cells, 0xff, row.cells_size); /* before the beginning, on no machine */
        else if (kind == 2)
            row.cells_size -= BR_STORE_CELL;
        else if (kind == 3)
            row.certificate = "{}", row.certificate_size = 2;
        else if (kind == 4)
            memset(cells + 6, 0x7f, 2); /* in some hundred years */
        else if (kind == 5)
            row.certificate = false_proof, row.certificate_size = strlen(false_proof);
        else
            for (uint32_t t = 0; t < job.dag->tasks; t++)
                memset(cells + t * BR_STORE_CELL, (int)(job.dag->tasks - t), 1);
        assert_int_equal(br_store_file_put(file, &row, &written, NULL), BR_OK);
        assert_true(written);
        br_store_row_finish(&row);
        br_store_file_close(file);
        store = store_open();
        struct br_plan *found = store_get(store, &job, NULL, &hit);
        if (kind == 3 || kind == 5)
            assert_int_equal(hit.match, BR_STORE_EXACT);
        else
            assert_int_not_equal(hit.match, BR_STORE_EXACT);
        assert_int_equal(hit.match == BR_STORE_MISS, kind == 2);
        br_plan_destroy(found);
        store_put(store, &job, NULL, plan);
        found = store_get(store, &job, NULL, &hit);
        assert_int_equal(hit.match, BR_STORE_EXACT);
        assert_int_equal(found->makespan_ns, plan->makespan_ns);
        br_plan_destroy(found);
        br_store_close(store);
    }
    free(false_proof);
    br_plan_destroy(plan);
    random_job_finish(&job);
}

/* A wrong plan is not stored, nor one that accounts for transfers. */
static void test_refused(void **state)
{
    struct random_job job = store_open_job();
    struct br_plan *plan = store_make_plan(&job, NULL);
    struct br_store *store = store_open();
    struct br_diag diag = {0};
    uint64_t plans;
    plan->network = true;
    assert_int_equal(br_store_put(store, job.dag, job.cluster, NULL, plan, &diag), BR_USAGE);
    plan->network = false;
    plan->start_ns[0] = -1;
    assert_int_equal(br_store_put(store, job.dag, job.cluster, NULL, plan, &diag), BR_NO);
    assert_int_equal(br_store_count(store, &plans, &diag), BR_OK);
    assert_int_equal(plans, 0);
    br_store_close(store);
    br_store_close(NULL);
    br_plan_destroy(plan);
    random_job_finish(&job);
}

/* Whoever decided by what was there before another program put a row writes nothing, and looks
 * again. */
static void test_overtaken(void **state)
{
    struct br_store_file *file;
    struct br_store_row row = {.keys = {1, 2, 3},
                               .job = "j",
                               .method = "m",
                               .bound_method = "b",
                               .cells = (const unsigned char *)"cells",
                               .cells_size = 5};
    struct br_store_row found;
    bool written;
    assert_int_equal(br_store_file_open(database_path, &file, NULL), BR_OK);
    assert_int_equal(br_store_file_put(file, &row, &written, NULL), BR_OK);
    assert_true(written);
    row.effort = 9;
    assert_int_equal(br_store_file_put(file, &row, &written, NULL), BR_OK);
    assert_false(written);
    assert_int_equal(br_store_file_find(file, &row.keys, BR_STORE_SAME, INT64_MAX, &found, NULL),
                     BR_OK);
    assert_int_equal(found.effort, 0);
    row.id = found.id;
    assert_int_equal(br_store_file_put(file, &row, &written, NULL), BR_OK);
    assert_true(written);
    br_store_row_finish(&found);
    br_store_file_close(file);
}

/* Of one form only the newest plans stay. */
static void test_forgets(void **state)
{
    struct br_store_file *file;
    uint64_t plans;
    bool written;
    assert_int_equal(br_store_file_open(database_path, &file, NULL), BR_OK);
    for (uint64_t k = 0; k < BR_STORE_KEPT + 20; k++) {
        struct br_store_row row = {.keys = {1, k, 3},
                                   .job = "j",
                                   .method = "m",
                                   .bound_method = "b",
                                   .makespan_ns = (int64_t)k,
                                   .cells = (const unsigned char *)"cells",
                                   .cells_size = 5};
        assert_int_equal(br_store_file_put(file, &row, &written, NULL), BR_OK);
        row.keys.form = 2;
        if (k < 5)
            assert_int_equal(br_store_file_put(file, &row, &written, NULL), BR_OK);
    }
    assert_int_equal(br_store_file_count(file, &plans, NULL), BR_OK);
    assert_int_equal(plans, BR_STORE_KEPT + 5);
    struct br_store_row row;
    assert_int_equal(br_store_file_find(file, &(struct br_store_keys){1, 19, 3}, BR_STORE_SAME,
                                        INT64_MAX, &row, NULL),
                     BR_OK);
    assert_int_equal(row.id, 0);
    br_store_row_finish(&row);
    br_store_file_close(file);
}

static void test_without(void **state)
{
    struct br_store *store;
    struct br_diag diag = {0};
    assert_int_equal(br_store_open(database_path, &store, &diag), BR_SYSTEM);
    assert_null(store);
    assert_non_null(strstr(diag.what, "keeps no plans"));
    br_store_close(store);
}

int main(void)
{
    const struct CMUnitTest without[] = {STORE_TEST(test_without)};
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_processes), STORE_TEST(test_threads), STORE_TEST(test_damage),
        STORE_TEST(test_forged),    STORE_TEST(test_refused), STORE_TEST(test_forgets),
        STORE_TEST(test_overtaken),
    };
    return br_store_is_there() ? cmocka_run_group_tests(tests, NULL, NULL)
                               : cmocka_run_group_tests(without, NULL, NULL);
}
