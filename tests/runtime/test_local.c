/* The parts of the local driver: commands become words, groups are counted, the clock of the limits
 * stands where it should, slots are lent and given back. */
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
        cmocka_unit_test(test_group_counts),
        cmocka_unit_test(test_group_neighbours),
        cmocka_unit_test(test_group_of_task),
        cmocka_unit_test(test_awake),
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
