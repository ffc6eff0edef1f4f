/* What control groups allow, of both versions: by files such as the kernel shows them, in a folder.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/process/machine.h"

static const int64_t gib = INT64_C(1) << 30;
static char scratch[64];

/* Writes the file, whose name has folders in it. */
static void put(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Mounts, in which each of our folders is named by a %s; one or two. */
static void put_mounts(const char *text)
{
    char mounts[1024];
    snprintf(mounts, sizeof mounts, text, scratch, scratch);
    put("mounts", mounts);
}

/* What is left of 64 processors and 256 GiB. */
static struct br_machine limited(void)
{
    char groups[128], mounts[128];
    struct br_machine machine = {.processors = 64, .memory_bytes = 256 * gib};
    snprintf(groups, sizeof groups, "%s/groups", scratch);
    snprintf(mounts, sizeof mounts, "%s/mounts", scratch);
    br_machine_limit(&machine, groups, mounts);
    return machine;
}

static int make_scratch(void **state)
{
    (void)state;
    strcpy(scratch, "/tmp/bigrocks-machine-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static int remove_scratch(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    return system(command); /* NOLINT(cert-env33-c): our own folder */
}

/* The limits of all groups around ours count, up to the mount. */
static void unified(void **state)
{
    (void)state;
    put_mounts("25 1 0:20 / /proc rw - proc proc rw\n"
               "30 23 0:26 / %s/two rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
    put("groups", "0::/a.slice/b.scope\n");
    put("two/a.slice/b.scope/memory.max", "max\n");
    put("two/a.slice/b.scope/cpu.max", "150000 100000\n");
    put("two/a.slice/memory.max", "2147483648\n");
    put("two/a.slice/cpu.max", "max 100000\n");
    assert_int_equal(limited().processors, 2); /* one and a half */
    assert_int_equal(limited().memory_bytes, 2 * gib);
    put("two/a.slice/b.scope/memory.high", "1073741824\n");
    put("two/a.slice/cpu.max", "50000 100000\n");
    assert_int_equal(limited().processors, 1);
    assert_int_equal(limited().memory_bytes, gib);
}

/* A container that sees its group as the root of what is mounted, by a namespace. */
static void unified_in_namespace(void **state)
{
    (void)state;
    put_mounts("30 23 0:26 / %s/two rw - cgroup2 cgroup rw\n");
    put("groups", "0::/\n");
    put("two/memory.max", "3221225472\n");
    put("two/cpu.max", "400000 100000\n");
    assert_int_equal(limited().processors, 4);
    assert_int_equal(limited().memory_bytes, 3 * gib);
    put("groups", "0::/../elsewhere\n"); /* outside of what is seen here */
    put("elsewhere/memory.max", "1048576\n");
    assert_int_equal(limited().memory_bytes, 3 * gib);
}

/* Docker with version 1: a mount for each controller, whose root is the group's name outside. */
static void by_controller(void **state)
{
    (void)state;
    put_mounts("40 32 0:30 /docker/12ab %s/m ro - cgroup cgroup rw,memory\n"
               "41 32 0:31 /docker/12ab %s/c ro - cgroup cgroup rw,cpu,cpuacct\n");
    put("groups",
        "5:memory:/docker/12ab\n4:cpu,cpuacct:/docker/12ab/build\n3:pids:/docker/12ab\n0::/\n");
    put("m/memory.limit_in_bytes", "536870912\n");
    put("c/cpu.cfs_quota_us", "300000\n");
    put("c/cpu.cfs_period_us", "100000\n");
    put("c/build/cpu.cfs_quota_us", "-1\n");
    put("c/build/cpu.cfs_period_us", "100000\n");
    assert_int_equal(limited().processors, 3);
    assert_int_equal(limited().memory_bytes, gib / 2);
    put("m/memory.limit_in_bytes",
        "9223372036854771712\n"); /* as the kernel says that there is none */
    assert_int_equal(limited().memory_bytes, 256 * gib);
    put("groups", "5:memory:/docker/12abc\n"); /* not below the mount, though it begins so */
    put("mc/memory.limit_in_bytes", "1048576\n");
    put("m/memory.limit_in_bytes", "1073741824\n");
    assert_int_equal(limited().memory_bytes, gib);
}

/* A group of another controller, and files that are none, limit nothing. */
static void nothing_known(void **state)
{
    (void)state;
    put_mounts("41 32 0:31 / %s/c ro - cgroup cgroup rw,cpuset\n");
    put("groups", "4:cpuset:/\n0::/\nnonsense\n:\n");
    put("c/cpu.cfs_quota_us", "100000\n");
    put("c/cpu.cfs_period_us", "100000\n");
    assert_int_equal(limited().processors, 64);
    assert_int_equal(limited().memory_bytes, 256 * gib);
    put("mounts", " - cgroup2 \n");
    assert_int_equal(limited().processors, 64);
}

static void of_this_process(void **state)
{
    struct br_machine machine;
    (void)state;
    br_machine_ask(&machine);
    assert_true(machine.processors >= 1 && machine.memory_bytes > 0);
    assert_true(!machine.all_processors || machine.all_processors > machine.processors);
    assert_true(!machine.all_memory_bytes || machine.all_memory_bytes > machine.memory_bytes);
    cpu_set_t all, one;
    CPU_ZERO(&one);
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    br_machine_ask(&machine);
    assert_int_equal(machine.processors, 1);
    assert_int_equal(machine.all_processors > 1, sysconf(_SC_NPROCESSORS_ONLN) > 1);
    sched_setaffinity(0, sizeof all, &all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(unified, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(unified_in_namespace, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(by_controller, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(nothing_known, make_scratch, remove_scratch),
        cmocka_unit_test(of_this_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
