/* The files of a spool folder: their order, their names, their moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/running/intake/files.h"

static char root[64];

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/intake-XXXXXX");
    return !mkdtemp(root) || cli_intake_make(root, NULL) || cli_intake_make(root, NULL);
}

static int drop_root(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command); /* a fixed text. NOLINT(cert-env33-c) */
}

/* Makes the file below the root, written so many seconds after some time. */
static void put(const char *path, int seconds)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    int file = open(whole, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    assert_true(file >= 0);
    const struct timespec times[2] = {{1000000 + seconds, 0}, {1000000 + seconds, 0}};
    assert_int_equal(futimens(file, times), 0);
    close(file);
}

static void put_folder(const char *path)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    assert_int_equal(mkdir(whole, 0777), 0);
}

static bool is_there(const char *path)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    return access(whole, F_OK) == 0;
}

/* The listed files as "group/name", with blanks between. */
static void list(enum cli_place place, char text[512])
{
    struct cli_intake_file *file;
    uint32_t count;
    text[0] = '\0';
    assert_int_equal(cli_intake_list(root, place, &file, &count, NULL), BR_OK);
    for (uint32_t k = 0; k < count; k++) {
        size_t used = strlen(text);
        snprintf(text + used, 512 - used, "%s%s%s%s", k ? " " : "",
                 file[k].group ? file[k].group : "", file[k].group ? "/" : "", file[k].name);
        cli_intake_file_finish(&file[k]);
    }
    free(file);
}

/* The oldest first, groups in turn, names where times are equal; nothing that is not finished, and
 * nothing deeper than a group. */
static void test_order(void **state)
{
    (void)state;
    char text[512];
    put("new/b", 3);
    put("new/a", 5);
    put("new/c", 3);
    put_folder("new/g");
    put("new/g/x", 9);
    put("new/g/y", 1);
    put("new/.hidden", 0);
    put("new/x.part", 0);
    put("new/y.tmp", 0);
    put_folder("new/g/deep");
    put("new/g/deep/z", 0);
    put_folder("new/.dots");
    put("new/.dots/z", 0);
    list(CLI_PLACE_NEW, text);
    assert_string_equal(text, "g/y b c g/x a");
}

/* What stands beside a job is no job in running; what merely is called like that is. */
static void test_beside(void **state)
{
    (void)state;
    char text[512];
    put("running/a", 1);
    put("running/a.out", 0);
    put("running/a.error", 0);
    put("running/a.json", 0);
    put("running/b.json", 2);
    put("running/.out", 0);
    list(CLI_PLACE_RUNNING, text);
    assert_string_equal(text, "a b.json");
    put("new/a", 1);
    put("new/a.json", 2);
    list(CLI_PLACE_NEW, text);
    assert_string_equal(text, "a a.json");
}

static const char *take(const char *group, const char *name)
{
    static char taken[300];
    struct cli_intake_file file = {.group = group ? strdup(group) : NULL, .name = strdup(name)};
    assert_int_equal(cli_intake_take(root, &file), 0);
    snprintf(taken, sizeof taken, "%s", file.name);
    cli_intake_file_finish(&file);
    return taken;
}

/* A name is free where neither it nor what would stand beside it is in any place of taken jobs. */
static void test_take(void **state)
{
    (void)state;
    put("new/a", 1);
    assert_string_equal(take(NULL, "a"), "a");
    assert_true(is_there("running/a") && !is_there("new/a"));
    for (int k = 2; k < 40; k++) {
        char name[16];
        snprintf(name, sizeof name, "a~%d", k);
        put("new/a", 1);
        assert_string_equal(take(NULL, "a"), name);
    }
    put("done/b", 1);
    put("failed/c", 1);
    put("done/d.json", 1);
    put("new/b", 1);
    put("new/c", 1);
    put("new/d", 1);
    put("new/a.out", 1);
    assert_string_equal(take(NULL, "b"), "b~2");
    assert_string_equal(take(NULL, "c"), "c~2");
    assert_string_equal(take(NULL, "d"), "d~2");
    assert_string_equal(take(NULL, "a.out"), "a.out~2");
    /* Groups are folders of their own. */
    put_folder("new/g");
    put("new/g/b", 1);
    assert_string_equal(take("g", "b"), "b");
    assert_true(is_there("running/g/b"));
    struct cli_intake_file gone = {.name = strdup("gone")};
    assert_int_equal(cli_intake_take(root, &gone), ENOENT);
    cli_intake_file_finish(&gone);
}

/* All that stands beside a job goes with it; a job that has gone is told. */
static void test_leave(void **state)
{
    (void)state;
    char name[] = "a", group[] = "g";
    struct cli_intake_file file = {.group = group, .name = name};
    put_folder("running/g");
    put("running/g/a", 1);
    put("running/g/a.json", 1);
    put("running/g/a.out", 1);
    assert_int_equal(cli_intake_leave(root, CLI_PLACE_FAILED, &file), 0);
    assert_true(is_there("failed/g/a") && is_there("failed/g/a.json") &&
                is_there("failed/g/a.out") && !is_there("running/g/a.json"));
    assert_int_equal(cli_intake_leave(root, CLI_PLACE_DONE, &file), ENOENT);
}

static void test_open(void **state)
{
    (void)state;
    char path[256];
    put("new/a", 1);
    snprintf(path, sizeof path, "%s/new/a", root);
    assert_false(cli_intake_is_open(path));
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (!cli_intake_is_open(path)) {
        close(file);
        skip(); /* a file system without leases */
    }
    close(file);
    assert_false(cli_intake_is_open(path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_beside, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_take, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_leave, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_open, make_root, drop_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
