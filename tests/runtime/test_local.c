/* The parts of the local driver: commands become words, a journal that ends anywhere is read, the
 * clock of the limits stands where it should, slots are lent and given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text/command.h"
#include "runtime/drivers/common/setup.h"
#include "runtime/drivers/local/awake.h"
#include "runtime/drivers/local/cgroup.h"
#include "runtime/drivers/common/family.h"
#include "runtime/drivers/common/journal.h"
#include "runtime/drivers/local/slots.h"

/* ---- Commands ---- */

/* The words of the command for index 7, with | between them; or "!" and the fault. */
static void words_of(const char *text, bool shell, char *joined, size_t size)
{
    struct br_arena arena = {0};
    struct br_command command;
    struct br_words words = {0};
    struct br_diag diag = {0};
    joined[0] = '\0';
    if (br_command_parse(&arena, text, shell, &command, &diag)) {
        snprintf(joined, size, "!%.200s", diag.what);
    } else if (command.words) {
        /* Twice, since the words are reused. */
        assert_true(br_command_words(&command, 123456, &words));
        assert_true(br_command_words(&command, 7, &words));
        for (uint32_t w = 0; words.word[w]; w++)
            snprintf(joined + strlen(joined), size - strlen(joined), "%s%s", w ? "|" : "",
                     words.word[w]);
    }
    br_words_finish(&words);
    br_arena_finish(&arena);
}

static void test_words(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", ""},
        {" \n\t ", ""},
        {"a", "a"},
        {"  a  b\n c ", "a|b|c"},
        {"a 'b c' \"d e\"", "a|b c|d e"},
        {"a'b'\"c\"d", "abcd"},
        {"a '' \"\"", "a||"},
        {"a \\'b \\ c \\\\", "a|'b| c|\\"},
        {"a \"b\\\"c\\\\d\\e\"", "a|b\"c\\d\\e"},
        {"a '\\'", "a|\\"},
        {"./x --part {index} {index}{index}.{indexed} '{index}'", "./x|--part|7|77.{indexed}|7"},
        {"a '|' \"&\" \\;", "a|||&|;"},
        {"a | b", "!'|' in a command means nothing without a shell"},
        {"a > b", "!'>' in a command means nothing without a shell"},
        {"a $HOME", "!'$' in a command means nothing without a shell"},
        {"rm *", "!'*' in a command means nothing without a shell"},
        {"a 'b", "!a command ends inside of '..."},
        {"a \"b\\\"", "!a command ends inside of \"..."},
        {"'' a", "!a command's program is empty"},
    };
    char joined[512];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        words_of(cases[k].text, false, joined, sizeof joined);
        assert_string_equal(joined, cases[k].words);
    }
    words_of(" a | b {index} > 'c' ", true, joined, sizeof joined);
    assert_string_equal(joined, "/bin/sh|-c|a | b 7 > 'c' ");
}

/* ---- Journal ---- */

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
        assert_int_equal(records[k].end ? br_journal_finished(&journal, 0, records[k].task, NULL)
                                        : br_journal_started(&journal, 0, records[k].task, NULL),
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
        assert_int_equal(br_journal_finished(&journal, 0, 3, NULL), BR_OK);
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
    struct br_journal_job jobs[4] = {{x, done[0], 0, 0}, {y, done[1], 0, 0}, {x, done[2], 0, 0}};
    assert_int_equal(open_jobs(&journal, path, jobs, 3), BR_OK);
    assert_int_equal(br_journal_finished(&journal, jobs[0].number, 1, NULL), BR_OK);
    assert_int_equal(br_journal_started(&journal, jobs[1].number, 2, NULL), BR_OK);
    assert_int_equal(br_journal_started(&journal, jobs[1].number, 3, NULL), BR_OK);
    assert_int_equal(br_journal_finished(&journal, jobs[1].number, 3, NULL), BR_OK);
    assert_int_equal(br_journal_finished(&journal, jobs[2].number, 4, NULL), BR_OK);
    br_journal_close(&journal);
    struct br_journal_job turned[3] = {{y, done[1], 0, 9}, {x, done[0], 0, 9}, {x, done[2], 0, 9}};
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
    struct br_journal_job wrong[4] = {
        {x, done[0], 0, 0}, {y, done[1], 0, 0}, {y, done[2], 0, 0}, {x, done[3], 0, 0}};
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
    struct br_journal_job a = {x, done[0], 0, 0}, b = {y, done[1], 0, 0};
    assert_int_equal(open_jobs(&journal, path, NULL, 0), BR_OK);
    assert_int_equal(br_journal_settle(&journal, NULL), BR_OK);
    assert_int_equal(add_job(&journal, "a", &a), BR_OK);
    assert_int_equal(add_job(&journal, "b", &b), BR_OK);
    assert_int_not_equal(a.number, b.number);
    assert_int_equal(br_journal_finished(&journal, a.number, 2, NULL), BR_OK);
    assert_int_equal(br_journal_started(&journal, b.number, 0, NULL), BR_OK);
    assert_int_equal(br_journal_finished(&journal, b.number, 4, NULL), BR_OK);
    br_journal_close(&journal);
    /* The next session: b goes on, under its name alone, and only as the job that it was. */
    assert_int_equal(open_jobs(&journal, path, NULL, 0), BR_OK);
    struct br_journal_job changed = {x, done[0], 0, 0};
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
    assert_int_equal(br_journal_finished(&journal, a.number, 0, NULL), BR_OK);
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
        assert_int_equal(br_journal_started(&journal, a.number, 1, NULL), BR_OK);
    assert_int_equal(br_journal_drop(&journal, a.number, NULL), BR_OK);
    assert_int_equal(size_of(path), HEAD + SESSION);
    assert_int_equal(add_job(&journal, "a", &a), BR_OK);
    assert_int_equal(br_journal_finished(&journal, a.number, 3, NULL), BR_OK);
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

/* ---- Control groups ---- */

static void put(int folder, const char *name, const char *text)
{
    int file = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
}

/* The kernel's counts in a group's files; a count that is not there stays as it was before. */
static void test_group_counts(void **state)
{
    char path[] = "/tmp/group-XXXXXX";
    assert_non_null(mkdtemp(path));
    int folder = open(path, O_RDONLY | O_DIRECTORY);
    struct br_usage usage = {1, 2, 3};
    assert_false(br_cgroup_read(folder, &usage));
    assert_true(usage.user_ns == 1 && usage.system_ns == 2 && usage.peak_bytes == 3);
    put(folder, "cpu.stat", "usage_usec 30\nuser_usec 20\nsystem_usec 10\nnr_periods 0\n");
    assert_false(br_cgroup_read(folder, &usage));
    assert_true(usage.user_ns == 20000 && usage.system_ns == 10000 && usage.peak_bytes == 3);
    put(folder, "cpu.stat", "usage_usec 31\nuser_usecs 7\n");
    assert_false(br_cgroup_read(folder, &usage));
    assert_true(usage.user_ns == 20000 && usage.system_ns == 10000 && usage.peak_bytes == 3);
    put(folder, "memory.peak", "4096000\n");
    put(folder, "memory.events", "low 0\nhigh 0\nmax 7\noom 0\noom_kill 0\noom_group_kill 0\n");
    assert_false(br_cgroup_read(folder, &usage));
    assert_int_equal(usage.peak_bytes, 4096000);
    put(folder, "memory.events", "low 0\nhigh 0\nmax 9\noom 1\noom_kill 2\noom_group_kill 1\n");
    assert_true(br_cgroup_read(folder, &usage));
    static const char *const files[] = {"cpu.stat", "memory.peak", "memory.events"};
    for (size_t k = 0; k < 3; k++)
        unlinkat(folder, files[k], 0);
    struct br_cgroups groups;
    assert_false(br_cgroups_open(&groups, path, 0));
    assert_non_null(strstr(groups.why, "is no group of cgroup v2"));
    br_cgroups_close(&groups);
    close(folder);
    assert_int_equal(rmdir(path), 0);
}

/* The text of a file. */
static void take(int folder, const char *name, char *text, size_t size)
{
    int file = openat(folder, name, O_RDONLY);
    assert_true(file >= 0);
    ssize_t got = read(file, text, size - 1);
    assert_true(got >= 0);
    text[got] = '\0';
    close(file);
}

/* Of what stands beside a run's folder only those of runs that are dead go, which nobody has
 * locked; not those of live ones, nor what is none of ours. What has been enabled is given back. */
static void test_group_neighbours(void **state)
{
    char path[] = "/tmp/group-XXXXXX", text[64];
    assert_non_null(mkdtemp(path));
    int folder = open(path, O_RDONLY | O_DIRECTORY);
    static const char *const made[] = {"bigrocks.1-a", "bigrocks.1-a/task.1", "bigrocks.2-b",
                                       "bigrocks-of-another", "another"};
    for (size_t k = 0; k < 5; k++)
        assert_int_equal(mkdirat(folder, made[k], 0700), 0);
    int live = openat(folder, made[2], O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(live, LOCK_EX), 0);
    struct br_cgroups groups;

    /* An ordinary folder that looks like a group, in which no process can be started. */
    put(folder, "cgroup.controllers", "cpu memory_of_another pids\n");
    put(folder, "cgroup.subtree_control", "");
    assert_false(br_cgroups_open(&groups, path, 0));
    assert_non_null(strstr(groups.why, "no group can be made in /tmp/group-"));
    take(folder, "cgroup.subtree_control", text, sizeof text);
    assert_string_equal(text, "");
    assert_int_equal(faccessat(folder, made[0], F_OK, 0), -1);
    for (size_t k = 2; k < 5; k++)
        assert_int_equal(faccessat(folder, made[k], F_OK, 0), 0);

    /* With a memory controller, which is enabled here but cannot be in our own folder. */
    put(folder, "cgroup.controllers", "cpu memory pids\n");
    assert_false(br_cgroups_open(&groups, path, 0));
    take(folder, "cgroup.subtree_control", text, sizeof text);
    assert_string_equal(text, "-memory");
    put(folder, "cgroup.subtree_control", "memory\n"); /* by somebody else, so it stays */
    assert_false(br_cgroups_open(&groups, path, 0));
    take(folder, "cgroup.subtree_control", text, sizeof text);
    assert_string_equal(text, "memory\n");

    close(live);
    for (size_t k = 2; k < 5; k++)
        assert_int_equal(unlinkat(folder, made[k], AT_REMOVEDIR), 0);
    unlinkat(folder, "cgroup.controllers", 0);
    unlinkat(folder, "cgroup.subtree_control", 0);
    close(folder);
    assert_int_equal(rmdir(path), 0); /* and nothing else is left */
}

static pid_t sleeper(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        alarm(20);
        for (;;)
            pause();
    }
    return pid;
}

/* A signal takes a moment. */
static bool still_runs(pid_t pid)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    return waitpid(pid, NULL, WNOHANG) == 0;
}

/* Groups of tasks have numbers of their own; one that cannot be held to its limit is not left. All
 * in a group is killed by the kernel, or one by one where it does not know how. */
static void test_group_of_task(void **state)
{
    char path[] = "/tmp/group-XXXXXX", text[64];
    assert_non_null(mkdtemp(path));
    struct br_cgroups groups = {.folder = open(path, O_RDONLY | O_DIRECTORY)};
    int group, none;
    uint32_t number, other;
    assert_int_equal(br_cgroup_make(&groups, 0, &group, &number), 0);
    assert_int_equal(br_cgroup_make(&groups, 4096, &none, &other), ENOENT); /* no memory.max */
    assert_true(number == 1 && other == 2 && none == -1 && group >= 0);
    assert_int_equal(faccessat(groups.folder, "task.1", F_OK, 0), 0);
    assert_int_equal(faccessat(groups.folder, "task.2", F_OK, 0), -1);

    pid_t pid[2] = {sleeper(), sleeper()};
    snprintf(text, sizeof text, "%ld\n%ld", (long)pid[0], (long)pid[1]);
    put(group, "cgroup.procs", text); /* the second may be cut */
    put(group, "cgroup.kill", "");
    br_cgroup_kill(group);
    take(group, "cgroup.kill", text, sizeof text);
    assert_string_equal(text, "1");
    assert_true(still_runs(pid[0]));
    unlinkat(group, "cgroup.kill", 0);
    br_cgroup_kill(group);
    int ended;
    assert_int_equal(waitpid(pid[0], &ended, 0), pid[0]);
    assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
    assert_true(still_runs(pid[1]));
    kill(pid[1], SIGKILL);
    waitpid(pid[1], NULL, 0);

    unlinkat(group, "cgroup.procs", 0);
    br_cgroup_remove(&groups, group, number);
    close(groups.folder);
    assert_int_equal(rmdir(path), 0);
}

/* Looks of a fifth of a second apart, and up to a second, are no pause. All of a longer one is not
 * counted, however often it comes; what is told as absent is the last pause alone. */
static void test_awake(void **state)
{
    const int64_t milli_ns = 1000000;
    struct br_awake awake = {0};
    br_awake_look(&awake, 200 * milli_ns);
    assert_true(br_awake_ns(&awake) == 200 * milli_ns && awake.absent_ns == 0);
    br_awake_look(&awake, 1199 * milli_ns);
    assert_true(br_awake_ns(&awake) == 1199 * milli_ns && awake.absent_ns == 0);
    br_awake_look(&awake, 2199 * milli_ns);
    assert_true(br_awake_ns(&awake) == 1199 * milli_ns && awake.absent_ns == 1000 * milli_ns);
    assert_true(br_awake_at(&awake, 2299 * milli_ns) == 1299 * milli_ns);
    br_awake_look(&awake, 2399 * milli_ns);
    assert_true(br_awake_ns(&awake) == 1399 * milli_ns && awake.absent_ns == 0);
    br_awake_look(&awake, 7399 * milli_ns);
    assert_true(br_awake_ns(&awake) == 1399 * milli_ns && awake.absent_ns == 5000 * milli_ns);
    assert_true(awake.away_ns == 6000 * milli_ns && awake.looked_ns == 7399 * milli_ns);
}

/* No two hold the same slot, also beyond the first array; one that is given back is empty, and is
 * lent again before the array grows. */
static void test_slots(void **state)
{
    enum { MANY = 300 };
    struct br_slots slots;
    bool lent[2 * MANY] = {false};
    uint32_t number;
    br_slots_init(&slots, NULL);
    assert_int_equal(br_slots_open(&slots), 0);
    for (uint32_t k = 0; k < MANY; k++) {
        uint32_t before = slots.count;
        struct br_slot *slot = br_slots_take(&slots, &number);
        assert_non_null(slot);
        assert_true(slots.count == before || before == k); /* grows when all are lent */
        assert_true(slot == &slots.slot[number] && number < slots.count && !lent[number]);
        assert_true(slot->process.pid <= 0 && slot->process.watch < 0 && slot->group < 0);
        assert_true(slot->process.output < 0 && slot->process.script < 0 && !slot->asked_ns);
        lent[number] = true;
        slot->process.pid = 1000 + (pid_t)number;
        slot->timed_out = true;
        slot->asked_ns = 5;
    }
    assert_true(br_slots_has(&slots, 1000) && br_slots_has(&slots, 1000 + (pid_t)number));
    assert_false(br_slots_has(&slots, 999));
    uint32_t count = slots.count;
    for (uint32_t k = 10; k < 20; k++) {
        br_slots_give(&slots, k);
        assert_false(br_slots_has(&slots, 1000 + (pid_t)k));
        lent[k] = false;
    }
    for (uint32_t k = 10; k < 20; k++) {
        const struct br_slot *slot = br_slots_take(&slots, &number);
        assert_true(number >= 10 && number < 20 && !lent[number]);
        assert_true(!slot->timed_out && !slot->asked_ns && slot->group < 0);
        lent[number] = true;
    }
    assert_int_equal(slots.count, count);
    br_slots_finish(&slots);
}

/* A limit is in bytes whatever the unit of the job's memory, and only "mem" gives one. */
static void test_limits(void **state)
{
    struct br_dag *dag = br_dag_create("memory");
    struct br_arena arena = {0};
    uint32_t stage[3];
    assert_int_equal(br_dag_add_resource(dag, "mem", "MiB", NULL), BR_OK);
    for (uint32_t s = 0; s < 3; s++) {
        char id[] = {(char)('a' + s), 0};
        assert_int_equal(br_dag_add_stage(dag, id, 1, 1, &stage[s], NULL), BR_OK);
    }
    assert_int_equal(br_dag_add_demand(dag, stage[0], "mem", "1.5", NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, stage[1], "memory", "7", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    const int64_t *limit = br_run_limits(&arena, dag);
    assert_int_equal(limit[0], 2 << 20);
    assert_int_equal(limit[1], 0);
    assert_int_equal(limit[2], 0);
    br_arena_finish(&arena);
    br_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_journal),
        cmocka_unit_test(test_journal_of_several),
        cmocka_unit_test(test_journal_of_a_spool),
        cmocka_unit_test(test_journal_damage),
        cmocka_unit_test(test_group_counts),
        cmocka_unit_test(test_group_neighbours),
        cmocka_unit_test(test_group_of_task),
        cmocka_unit_test(test_awake),
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
