/* The journal of a run: one that ends anywhere or is damaged anywhere is read as far as it holds,
 * and jobs are known again, given together or one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/drivers/common/journal.h"
#include "runtime/drivers/common/setup.h"

static struct br_dag *make_job(const char *command)
{
    struct br_dag *dag = br_dag_create("j");
    uint32_t stage;
    assert_int_equal(br_dag_add_stage(dag, "a", 3, 1, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_set_command(dag, stage, command, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "b", 2, 1, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

static struct br_journal_found found;

static struct br_diag said; /* by the last open_it */

static enum br_status open_it(struct br_journal *journal, const char *path, bool resume,
                              const struct br_dag *dag, bool done[5], uint32_t *in_flight)
{
    static char mark[BR_MARK];
    struct br_journal_job job = {.dag = dag, .done = done};
    br_mark_make(mark);
    memset(done, 0, 5);
    memset(&said, 0, sizeof said);
    enum br_status status = br_journal_open(journal, path, resume, &job, 1, mark, &found, &said);
    assert_int_equal(job.number, 0);
    *in_flight = job.in_flight;
    return status;
}

static void copy(const char *from, const char *to, long size)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in && out);
    for (long k = 0; k < size; k++)
        fputc(fgetc(in), out);
    fclose(in);
    fclose(out);
}

/* The state after the first records of the file that is made below: how many tasks have
 * finished, and how many are running. */
enum { HEAD = 192, SESSION = 192, RECORD = 48, RECORDS = 9 };
static const uint32_t finished_by[RECORDS + 1] = {0, 0, 1, 1, 2, 2, 3, 3, 3, 4};
static const uint32_t running_by[RECORDS + 1] = {0, 1, 0, 1, 0, 1, 0, 1, 2, 1};

/* Of every record its task, and whether it is an end; as the file is made below. */
static const struct {
    uint32_t task;
    bool end;
} records[RECORDS] = {{0, false}, {0, true},  {1, false}, {1, true}, {2, false},
                      {2, true},  {3, false}, {4, false}, {4, true}};

static void make_journal(const char *path, const struct br_dag *dag)
{
    struct br_journal journal;
    bool done[5];
    uint32_t in_flight;
    assert_int_equal(open_it(&journal, path, true, dag, done, &in_flight), BR_OK);
    assert_int_equal(in_flight, 0);
    for (uint32_t k = 0; k < RECORDS; k++)
        assert_int_equal(records[k].end ? br_journal_finished(&journal, 0, records[k].task, 0, NULL)
                                        : br_journal_started(&journal, 0, records[k].task, 0, NULL),
                         BR_OK);
    assert_int_equal(br_journal_sync(&journal, NULL), BR_OK);
    br_journal_close(&journal);
}

/* The same journal without its session, so that nobody has to be looked for each time. */
static void drop_session(const char *path, const char *bare)
{
    FILE *in = fopen(path, "rb"), *out = fopen(bare, "wb");
    assert_true(in && out);
    for (long k = 0; k < HEAD + SESSION + RECORD * RECORDS; k++) {
        int c = fgetc(in);
        if (k < HEAD || k >= HEAD + SESSION)
            fputc(c, out);
    }
    fclose(in);
    fclose(out);
}

static uint32_t count_done(const bool done[5])
{
    uint32_t known = 0;
    for (uint32_t t = 0; t < 5; t++)
        known += done[t];
    return known;
}

static void assert_same_file(const char *a, const char *b, long size)
{
    FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
    assert_true(x && y);
    for (long k = 0; k < size; k++)
        assert_int_equal(fgetc(x), fgetc(y));
    assert_int_equal(fgetc(y), EOF);
    fclose(x);
    fclose(y);
}

/* Where writing to the end is cheap. */
static void make_folder(char folder[64])
{
    strcpy(folder, "/dev/shm/journal-XXXXXX");
    if (!mkdtemp(folder)) {
        strcpy(folder, "/tmp/journal-XXXXXX");
        assert_non_null(mkdtemp(folder));
    }
}

static void test_journal(void **state)
{
    char folder[64], path[96], bare[96], cut[96];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/whole", folder);
    snprintf(bare, sizeof bare, "%s/bare", folder);
    snprintf(cut, sizeof cut, "%s/cut", folder);
    struct br_dag *dag = make_job("x"), *other = make_job("y");
    struct br_journal journal, second;
    bool done[5];
    uint32_t in_flight;
    assert_int_equal(open_it(&journal, path, true, dag, done, &in_flight), BR_OK);
    /* While it is in use nobody else gets it. */
    assert_int_equal(open_it(&second, path, true, dag, done, &in_flight), BR_NO);
    br_journal_close(&journal);
    unlink(path);
    make_journal(path, dag);
    /* Without being told to, nobody goes on; and not with another job. */
    assert_int_equal(open_it(&second, path, false, dag, done, &in_flight), BR_USAGE);
    assert_int_equal(open_it(&second, path, true, other, done, &in_flight), BR_NO);
    /* Cut anywhere: what has its whole record is known, and the rest can be added again. Nothing is
     * written to what may be another program's. */
    drop_session(path, bare);
    for (long size = 0; size <= HEAD + SESSION + RECORD * RECORDS; size++) {
        if (size < HEAD + SESSION)
            copy(path, cut, size);
        else
            copy(bare, cut, size - SESSION);
        enum br_status status = open_it(&journal, cut, true, dag, done, &in_flight);
        if (size && size < HEAD) {
            assert_int_equal(status, BR_BAD_INPUT);
            assert_same_file(path, cut, size);
            continue;
        }
        assert_int_equal(status, BR_OK);
        long whole = size < HEAD + SESSION ? 0 : (size - HEAD - SESSION) / RECORD;
        assert_int_equal(count_done(done), finished_by[whole]);
        assert_int_equal(in_flight, running_by[whole]);
        assert_int_equal(found.damaged,
                         size > HEAD && size < HEAD + SESSION ? (size - HEAD) / RECORD : 0);
        assert_int_equal(br_journal_finished(&journal, 0, 3, 0, NULL), BR_OK);
        br_journal_close(&journal);
        /* Whoever goes on looks for what is left of the session before, which takes a while. */
        if ((size + 1) % RECORD > 2)
            continue;
        assert_int_equal(open_it(&journal, cut, true, dag, done, &in_flight), BR_OK);
        assert_true(done[3] && count_done(done) == finished_by[whole] + 1);
        assert_int_equal(found.damaged, 0);
        br_journal_close(&journal);
    }
    unlink(bare);
    /* Not a journal at all, however short. */
    for (int size = 1; size < 57; size += 14) {
        FILE *file = fopen(path, "wb");
        fprintf(file, "%.*s", size, "task,stage,index,machine\nsplit,split,0,m\nsplit,split,1,m\n");
        fclose(file);
        copy(path, cut, size);
        assert_int_equal(open_it(&journal, cut, true, dag, done, &in_flight), BR_BAD_INPUT);
        assert_same_file(path, cut, size);
    }
    unlink(path);
    unlink(cut);
    rmdir(folder);
    br_dag_destroy(dag);
    br_dag_destroy(other);
}

/* ---- A journal of several jobs ---- */

static enum br_status open_jobs(struct br_journal *journal, const char *path,
                                struct br_journal_job *jobs, uint32_t count)
{
    static char mark[BR_MARK];
    br_mark_make(mark);
    memset(&said, 0, sizeof said);
    for (uint32_t k = 0; k < count; k++)
        memset(jobs[k].done, 0, 5);
    return br_journal_open(journal, path, true, jobs, count, mark, &found, &said);
}

/* Jobs that are given together are known in any order, equal ones by their places among them, and
 * no other set of jobs is taken for them. */
static void test_journal_of_several(void **state)
{
    char folder[64], path[96];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/several", folder);
    struct br_dag *x = make_job("x"), *y = make_job("y");
    bool done[4][5];
    struct br_journal journal;
    struct br_journal_job jobs[4] = {
        {x, done[0], 0, 0, NULL}, {y, done[1], 0, 0, NULL}, {x, done[2], 0, 0, NULL}};
    assert_int_equal(open_jobs(&journal, path, jobs, 3), BR_OK);
    assert_int_equal(br_journal_finished(&journal, jobs[0].number, 1, 0, NULL), BR_OK);
    assert_int_equal(br_journal_started(&journal, jobs[1].number, 2, 0, NULL), BR_OK);
    assert_int_equal(br_journal_started(&journal, jobs[1].number, 3, 0, NULL), BR_OK);
    assert_int_equal(br_journal_finished(&journal, jobs[1].number, 3, 0, NULL), BR_OK);
    assert_int_equal(br_journal_finished(&journal, jobs[2].number, 4, 0, NULL), BR_OK);
    br_journal_close(&journal);
    struct br_journal_job turned[3] = {
        {y, done[1], 0, 9, NULL}, {x, done[0], 0, 9, NULL}, {x, done[2], 0, 9, NULL}};
    assert_int_equal(open_jobs(&journal, path, turned, 3), BR_OK);
    for (uint32_t t = 0; t < 5; t++) {
        assert_int_equal(done[0][t], t == 1);
        assert_int_equal(done[1][t], t == 3);
        assert_int_equal(done[2][t], t == 4);
    }
    assert_int_equal(turned[0].in_flight, 1);
    assert_int_equal(turned[1].in_flight + turned[2].in_flight, 0);
    br_journal_close(&journal);
    /* Fewer, more, and others. */
    struct br_journal_job wrong[4] = {{x, done[0], 0, 0, NULL},
                                      {y, done[1], 0, 0, NULL},
                                      {y, done[2], 0, 0, NULL},
                                      {x, done[3], 0, 0, NULL}};
    for (uint32_t count = 0; count <= 4; count++)
        assert_int_equal(open_jobs(&journal, path, wrong, count), BR_NO);
    unlink(path);
    rmdir(folder);
    br_dag_destroy(x);
    br_dag_destroy(y);
}

static enum br_status add_job(struct br_journal *journal, const char *name,
                              struct br_journal_job *job)
{
    memset(job->done, 0, 5);
    return br_journal_add(journal, name, job, &said);
}

static long size_of(const char *path)
{
    struct stat state;
    assert_int_equal(stat(path, &state), 0);
    return (long)state.st_size;
}

/* Jobs that come one by one are known by their names, until they are dropped, or a session has
 * settled without them. */
static void test_journal_of_a_spool(void **state)
{
    char folder[64], path[96];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/spool", folder);
    struct br_dag *x = make_job("x"), *y = make_job("y");
    bool done[2][5];
    struct br_journal journal;
    struct br_journal_job a = {x, done[0], 0, 0, NULL}, b = {y, done[1], 0, 0, NULL};
    assert_int_equal(open_jobs(&journal, path, NULL, 0), BR_OK);
    assert_int_equal(br_journal_settle(&journal, NULL), BR_OK);
    assert_int_equal(add_job(&journal, "a", &a), BR_OK);
    assert_int_equal(add_job(&journal, "b", &b), BR_OK);
    assert_int_not_equal(a.number, b.number);
    assert_int_equal(br_journal_finished(&journal, a.number, 2, 0, NULL), BR_OK);
    assert_int_equal(br_journal_started(&journal, b.number, 0, 0, NULL), BR_OK);
    assert_int_equal(br_journal_finished(&journal, b.number, 4, 0, NULL), BR_OK);
    br_journal_close(&journal);
    /* The next session: b goes on, under its name alone, and only as the job that it was. */
    assert_int_equal(open_jobs(&journal, path, NULL, 0), BR_OK);
    struct br_journal_job changed = {x, done[0], 0, 0, NULL};
    assert_int_equal(add_job(&journal, "b", &changed), BR_NO);
    assert_int_equal(add_job(&journal, "b", &b), BR_OK);
    for (uint32_t t = 0; t < 5; t++)
        assert_int_equal(done[1][t], t == 4);
    assert_int_equal(b.in_flight, 1);
    /* a does not come before the session settles, so it is a new job when it does. */
    assert_int_equal(br_journal_settle(&journal, NULL), BR_OK);
    assert_int_equal(add_job(&journal, "a", &a), BR_OK);
    for (uint32_t t = 0; t < 5; t++)
        assert_int_equal(done[0][t], 0);
    assert_int_equal(br_journal_finished(&journal, a.number, 0, 0, NULL), BR_OK);
    assert_int_equal(br_journal_drop(&journal, b.number, NULL), BR_OK);
    br_journal_close(&journal);
    assert_int_equal(open_jobs(&journal, path, NULL, 0), BR_OK);
    assert_int_equal(add_job(&journal, "b", &b), BR_OK);
    assert_int_equal(b.in_flight, 0);
    assert_int_equal(add_job(&journal, "a", &a), BR_OK);
    for (uint32_t t = 0; t < 5; t++) {
        assert_int_equal(done[0][t], t == 0);
        assert_int_equal(done[1][t], 0);
    }
    br_journal_close(&journal);
    /* Given jobs are others than these. */
    assert_int_equal(open_jobs(&journal, path, &a, 1), BR_NO);
    /* A journal that holds no job any more is cut, and goes on as before. */
    assert_int_equal(open_jobs(&journal, path, NULL, 0), BR_OK);
    assert_int_equal(br_journal_settle(&journal, NULL), BR_OK);
    assert_int_equal(size_of(path), HEAD + SESSION);
    assert_int_equal(add_job(&journal, "a", &a), BR_OK);
    for (uint32_t k = 0; k < (1 << 20) / RECORD; k++)
        assert_int_equal(br_journal_started(&journal, a.number, 1, 0, NULL), BR_OK);
    assert_int_equal(br_journal_drop(&journal, a.number, NULL), BR_OK);
    assert_int_equal(size_of(path), HEAD + SESSION);
    assert_int_equal(add_job(&journal, "a", &a), BR_OK);
    assert_int_equal(br_journal_finished(&journal, a.number, 3, 0, NULL), BR_OK);
    br_journal_close(&journal);
    assert_int_equal(open_jobs(&journal, path, NULL, 0), BR_OK);
    assert_int_equal(add_job(&journal, "a", &a), BR_OK);
    assert_true(done[0][3]);
    br_journal_close(&journal);
    unlink(path);
    rmdir(folder);
    br_dag_destroy(x);
    br_dag_destroy(y);
}

/* A journal is lines of text, whatever a job is called; the job is known again. */
static void test_journal_of_any_name(void **state)
{
    static const char name[] = "a\nb\033[2J\t\xe2\x80\xae";
    char folder[64], path[96], text[HEAD + 2 * SESSION + 1];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/named", folder);
    struct br_dag *dag = make_job("x");
    bool done[5];
    struct br_journal journal;
    struct br_journal_job job = {dag, done, 0, 0, NULL};
    assert_int_equal(open_jobs(&journal, path, NULL, 0), BR_OK);
    assert_int_equal(add_job(&journal, name, &job), BR_OK);
    assert_int_equal(br_journal_finished(&journal, job.number, 2, 0, NULL), BR_OK);
    br_journal_close(&journal);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = '\0';
    fclose(file);
    assert_int_equal(size, sizeof text - 1);
    assert_non_null(strstr(text, " a?b?[2J?? "));
    for (size_t k = 0; k < size; k++)
        assert_true((text[k] >= ' ' && text[k] < 127) || text[k] == '\n');
    assert_int_equal(open_jobs(&journal, path, NULL, 0), BR_OK);
    assert_int_equal(add_job(&journal, name, &job), BR_OK);
    for (uint32_t t = 0; t < 5; t++)
        assert_int_equal(done[t], t == 2);
    br_journal_close(&journal);
    unlink(path);
    rmdir(folder);
    br_dag_destroy(dag);
}

static void flip(const char *path, long at, int bit)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, at, SEEK_SET);
    int c = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(c ^ 1 << bit, file);
    fclose(file);
}

/* Every bit of a journal is flipped once: that is told with its place, or refused, and what the bit
 * is not of is known as before. */
static void test_journal_damage(void **state)
{
    char folder[64], path[96], bare[96], hurt[96];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/whole", folder);
    snprintf(bare, sizeof bare, "%s/bare", folder);
    snprintf(hurt, sizeof hurt, "%s/hurt", folder);
    struct br_dag *dag = make_job("x");
    struct br_journal journal;
    bool done[5];
    uint32_t in_flight;
    make_journal(path, dag);
    char head[HEAD + 1] = "";
    FILE *file = fopen(path, "rb");
    assert_int_equal(fread(head, 1, HEAD, file), HEAD);
    fclose(file);
    const char *name = strstr(head, "bigrocks-journal/3");
    assert_non_null(name);
    long magic = name - head;
    for (long bit = 0; bit < 8L * (HEAD + SESSION); bit++) {
        copy(path, hurt, HEAD + SESSION + RECORD * RECORDS);
        flip(hurt, bit / 8, (int)(bit % 8));
        enum br_status status = open_it(&journal, hurt, true, dag, done, &in_flight);
        assert_int_equal(status, bit < 8L * HEAD ? BR_BAD_INPUT : BR_OK);
        /* A reader is told to get another program only where the version is another one. */
        if (status) {
            long beyond = bit / 8 - magic;
            const char *what = beyond < 0 || beyond > 17 ? "the journal's first record is damaged"
                               : beyond == 17            ? "the journal is of another version"
                                                         : "";
            assert_non_null(strstr(said.what, what));
            continue;
        }
        assert_int_equal(count_done(done), finished_by[RECORDS]);
        assert_int_equal(in_flight, running_by[RECORDS]);
        assert_int_equal(found.damaged, SESSION / RECORD);
        assert_int_equal(found.damaged_at, HEAD);
        br_journal_close(&journal);
    }
    drop_session(path, bare);
    for (long bit = 0; bit < 8L * RECORD * RECORDS; bit++) {
        long k = bit / 8 / RECORD;
        copy(bare, hurt, HEAD + RECORD * RECORDS);
        flip(hurt, HEAD + bit / 8, (int)(bit % 8));
        assert_int_equal(open_it(&journal, hurt, true, dag, done, &in_flight), BR_OK);
        assert_int_equal(found.damaged, 1);
        assert_int_equal(found.damaged_at, HEAD + k * RECORD);
        for (uint32_t t = 0; t < 5; t++)
            assert_int_equal(done[t], t != 3 && !(records[k].end && records[k].task == t));
        br_journal_close(&journal);
    }
    /* Another run's records are none of this one. */
    unlink(path);
    make_journal(path, dag);
    FILE *in = fopen(bare, "rb"), *out = fopen(path, "r+b");
    fseek(in, HEAD, SEEK_SET);
    fseek(out, HEAD, SEEK_SET);
    for (long k = 0; k < RECORD * RECORDS; k++)
        fputc(fgetc(in), out);
    fclose(in);
    fclose(out);
    assert_int_equal(truncate(path, HEAD + RECORD * RECORDS), 0);
    assert_int_equal(open_it(&journal, path, true, dag, done, &in_flight), BR_OK);
    assert_int_equal(count_done(done), 0);
    assert_int_equal(found.damaged, RECORDS);
    br_journal_close(&journal);
    unlink(path);
    unlink(bare);
    unlink(hurt);
    rmdir(folder);
    br_dag_destroy(dag);
}

/* Looking into a journal tells what is done and by which alternative, and changes nothing. */
static void test_journal_look(void **state)
{
    (void)state;
    char folder[64], path[96];
    struct br_journal journal;
    struct br_dag *dag = make_job("x"), *other = make_job("y");
    bool done[5] = {false};
    uint32_t in_flight, by[5] = {0};
    make_folder(folder);
    snprintf(path, sizeof path, "%s/journal", folder);
    assert_int_equal(br_journal_look(path, dag, done, by, NULL), BR_OK);
    assert_int_equal(count_done(done), 0);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(open_it(&journal, path, true, dag, done, &in_flight), BR_OK);
    static const uint32_t started[][2] = {{0, 1}, {1, 3}, {1, 2}, {2, 1000}, {3, 0}};
    for (size_t k = 0; k < sizeof started / sizeof *started; k++)
        assert_int_equal(br_journal_started(&journal, 0, started[k][0], started[k][1], NULL),
                         BR_OK);
    for (uint32_t t = 0; t < 4; t++)
        if (t != 2)
            assert_int_equal(br_journal_finished(&journal, 0, t, 123, NULL), BR_OK);
    const long size = (long)journal.size;
    br_journal_close(&journal);
    memset(done, 0, sizeof done);
    assert_int_equal(br_journal_look(path, dag, done, by, NULL), BR_OK);
    static const bool expected_done[5] = {true, true, false, true, false};
    static const uint32_t expected_by[5] = {1, 2, 1000, 0, 0};
    for (uint32_t t = 0; t < 5; t++) {
        assert_int_equal(done[t], expected_done[t]);
        assert_int_equal(by[t], expected_by[t]);
    }
    struct stat kept;
    assert_int_equal(stat(path, &kept), 0);
    assert_int_equal(kept.st_size, size);
    memset(done, 0, sizeof done);
    assert_int_equal(br_journal_look(path, other, done, by, NULL), BR_OK); /* another job's */
    assert_int_equal(br_journal_look(folder, dag, done, by, NULL), BR_OK);
    assert_int_equal(truncate(path, 100), 0);
    assert_int_equal(br_journal_look(path, dag, done, by, NULL), BR_OK);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(br_journal_look(path, dag, done, by, NULL), BR_OK);
    assert_int_equal(count_done(done), 0);
    unlink(path);
    rmdir(folder);
    br_dag_destroy(dag);
    br_dag_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_journal),
        cmocka_unit_test(test_journal_of_several),
        cmocka_unit_test(test_journal_of_a_spool),
        cmocka_unit_test(test_journal_of_any_name),
        cmocka_unit_test(test_journal_damage),
        cmocka_unit_test(test_journal_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
