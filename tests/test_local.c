/* The parts of the local driver: commands become words, and a journal that ends anywhere is read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/local/cgroup.h"
#include "base/command.h"
#include "runtime/local/journal.h"

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

static enum br_status open_it(struct br_journal *journal, const char *path, bool resume,
                              const struct br_dag *dag, bool done[5], uint32_t *in_flight)
{
    struct br_diag diag = {0};
    memset(done, 0, 5);
    return br_journal_open(journal, path, resume, dag, done, in_flight, &diag);
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

static void test_journal(void **state)
{
    char folder[] = "/tmp/journal-XXXXXX", path[64], cut[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/whole", folder);
    snprintf(cut, sizeof cut, "%s/cut", folder);
    struct br_dag *dag = make_job("x"), *other = make_job("y");
    struct br_journal journal, second;
    bool done[5];
    uint32_t in_flight;
    long ends[16], lines = 0;
    assert_int_equal(open_it(&journal, path, true, dag, done, &in_flight), BR_OK);
    assert_int_equal(in_flight, 0);
    FILE *file = fopen(path, "rb");
    for (uint32_t t = 0; t < 5; t++) {
        assert_int_equal(br_journal_started(&journal, dag, t, NULL), BR_OK);
        fseek(file, 0, SEEK_END);
        ends[lines++] = ftell(file);
        if (t == 3)
            continue;
        assert_int_equal(br_journal_finished(&journal, dag, t, NULL), BR_OK);
        fseek(file, 0, SEEK_END);
        ends[lines++] = ftell(file);
    }
    assert_int_equal(br_journal_sync(&journal, NULL), BR_OK);
    /* While it is in use nobody else gets it. */
    assert_int_equal(open_it(&second, path, true, dag, done, &in_flight), BR_NO);
    br_journal_close(&journal);
    /* Without being told to, nobody goes on; and not with another job. */
    assert_int_equal(open_it(&second, path, false, dag, done, &in_flight), BR_USAGE);
    assert_int_equal(open_it(&second, path, true, other, done, &in_flight), BR_NO);
    /* Cut anywhere: what has its whole line is known, and the rest can be added again. */
    for (long size = 0; size <= ends[lines - 1]; size++) {
        copy(path, cut, size);
        assert_int_equal(open_it(&journal, cut, true, dag, done, &in_flight), BR_OK);
        /* By line: how many have finished, and how many are running. */
        static const uint32_t finished[] = {0, 1, 1, 2, 2, 3, 3, 3, 4};
        static const uint32_t running[] = {1, 0, 1, 0, 1, 0, 1, 2, 1};
        uint32_t known = 0, want = 0, flying = 0;
        for (long k = 0; k < lines; k++)
            if (ends[k] <= size) {
                want = finished[k];
                flying = running[k];
            }
        for (uint32_t t = 0; t < 5; t++)
            known += done[t];
        assert_int_equal(known, want);
        assert_int_equal(in_flight, flying);
        assert_int_equal(br_journal_finished(&journal, dag, 3, NULL), BR_OK);
        br_journal_close(&journal);
        assert_int_equal(open_it(&journal, cut, true, dag, done, &in_flight), BR_OK);
        assert_true(done[3]);
        br_journal_close(&journal);
    }
    /* A line with a flipped bit, and what follows, never was. */
    copy(path, cut, ends[lines - 1]);
    fclose(file);
    file = fopen(cut, "r+b");
    fseek(file, ends[3] + 20, SEEK_SET);
    int c = fgetc(file);
    fseek(file, ends[3] + 20, SEEK_SET);
    fputc(c ^ 1, file);
    fclose(file);
    assert_int_equal(open_it(&journal, cut, true, dag, done, &in_flight), BR_OK);
    assert_true(done[0] && done[1] && !done[2] && !done[4]);
    br_journal_close(&journal);
    /* Not a journal at all. */
    file = fopen(cut, "wb");
    fputs("task,stage,index,machine\nsplit,split,0,m\n", file);
    fclose(file);
    assert_int_equal(open_it(&journal, cut, true, dag, done, &in_flight), BR_BAD_INPUT);
    unlink(path);
    unlink(cut);
    rmdir(folder);
    br_dag_destroy(dag);
    br_dag_destroy(other);
}

/* ---- Control groups ---- */

static void put(int folder, const char *name, const char *text)
{
    int file = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
}

/* What the kernel says in a group's files; what is not there stays as it was counted before. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_journal),
        cmocka_unit_test(test_group_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
