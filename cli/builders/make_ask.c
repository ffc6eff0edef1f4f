/* Runs make as a child, behind a script of that name in a folder of its own along PATH, so that a
 * make called by a recipe also meets it (there the environment has MAKE as "make"). Make is asked
 * twice: once for its Makefiles and the environment of its recipes, which a dry run alone does not
 * show (this run is ended before it reaches a target), and once for what it would do. With all
 * targets out of date (-B), Makefiles are given as up to date (-o), since make would build those at
 * once, even in a dry run. */
#include "cli/builders/make_ask.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process/launch.h"
#include "base/text/shell.h"
#include "cli/builders/make_clean.h"
#include "cli/terminal/child.h"
#include "cli/terminal/interrupt.h"

/* $make, $dirty, $whole and $dir are set before it. A make that does real work, since it makes a
 * Makefile or is called by $(shell), is not part of the build: its MAKEFLAGS have no n or, up to
 * make 4.3, its MAKELEVEL is that of the make that expands. */
static const char script[] =
    "[ -z \"$BIGROCKS_MAKE_ASKS\" ] || exit 0\n"
    "real=yes\n"
    "case ${MAKEFLAGS%% *} in\n"
    "-*) ;;\n"
    "*n*) [ \"$MAKELEVEL\" != \"$BIGROCKS_MAKE_LEVEL\" ] || real= ;;\n"
    "esac\n"
    "if [ ! -e \"$dir/base\" ]; then\n"
    "    unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS\n"
    "    env -0 | LC_ALL=C sort -z >\"$dir/base\"\n"
    "    PATH=$dir:$PATH BIGROCKS_MAKE_LEVEL=0\n"
    "elif [ \"$real\" ]; then\n"
    "    unset MFLAGS BIGROCKS_MAKE_LEVEL\n"
    "    MAKEFLAGS=$(printf %s \"$MAKEFLAGS\" |\n"
    "        sed -e 's/^[a-zA-Z]*//' -e 's/ --trace//' -e 's/ --debug=b//')\n"
    "    PATH=${PATH#\"$dir:\"}\n"
    "    exec \"$make\" \"$@\"\n"
    "elif [ \"$whole\" ]; then\n"
    "    exit 0\n"
    "fi\n"
    "export MAKE=make LANGUAGE=C BIGROCKS_MAKE_LEVEL=$((BIGROCKS_MAKE_LEVEL + 1))\n"
    "told=$dir/$$\n"
    "probe='export BIGROCKS_MAKE_OVERRIDES := $(MAKEOVERRIDES)\n"
    ".bigrocks-environment: ; +@env -0 >\"$(BIGROCKS_MAKE_TOLD)\";"
    " printf \"%s\\n\" $(MAKEFILE_LIST) >\"$(BIGROCKS_MAKE_TOLD)-p\"; kill -TERM $$PPID'\n"
    "BIGROCKS_MAKE_ASKS=1 BIGROCKS_MAKE_TOLD=$told \"$make\" -n --eval \"$probe\" \\\n"
    "    .bigrocks-environment \"$@\" >/dev/null 2>&1\n"
    "if [ -e \"$told\" ]; then\n"
    "    own='MAKE|MAKEFLAGS|MAKELEVEL|MAKEFILES|MAKEOVERRIDES|MAKE_TERM(OUT|ERR)|MAKE_RESTARTS'\n"
    "    "
    "own=\"^($own|MFLAGS|GNUMAKEFLAGS|LANGUAGE|BIGROCKS_MAKE_[A-Z]*|_|PWD|OLDPWD|SHLVL)(=|$)\"\n"
    "    tr '\\n\\0' '\\2\\n' <\"$dir/base\" | sed -E -e \"/$own/d\" >\"$told-b\"\n"
    "    tr '\\n\\0' '\\2\\n' <\"$told\" |\n"
    "        sed -E -e \"s|^PATH=$dir:|PATH=|\" -e \"/^PATH=/s|:$dir:|:|\" -e \"/$own/d\" -e "
    "'/^$/d' \\\n"
    "            -e '/^-\\*-/d' | LC_ALL=C sort >\"$told-t\"\n"
    "    LC_ALL=C comm -13 \"$told-b\" \"$told-t\" | sed -e \"s/^/$(printf '\\1')/\"\n"
    "    for name in b t; do\n"
    "        sed 's/=.*//' \"$told-$name\" | LC_ALL=C sort -u >\"$told-$name-names\"\n"
    "    done\n"
    "    LC_ALL=C comm -23 \"$told-b-names\" \"$told-t-names\" | sed -e \"s/^/$(printf '\\1')/\"\n"
    "    [ ! \"$whole\" ] || tr '\\n\\0' '\\2\\n' <\"$told\" |\n"
    "        sed -n \"s/^BIGROCKS_MAKE_OVERRIDES=\\(.\\)/$(printf '\\1')MAKEFLAGS= -- \\1/p\"\n"
    "fi\n"
    "old=\n"
    "if [ -z \"$dirty\" ]; then\n"
    "    old=-B\n"
    "    [ ! -e \"$told-p\" ] || for name in $(cat \"$told-p\"); do\n"
    "        old=\"$old -o $name\"\n"
    "    done\n"
    "fi\n"
    "rm -f \"$told\" \"$told\"-*\n"
    "printf '\\3\\n'\n"
    "\"$make\" -n -p -w --trace --debug=b $old \"$@\"\n"
    "status=$?\n"
    "printf '\\4\\n'\n"
    "exit $status\n";

/* The script's files, including leftovers of a killed one. */
static void make_ask_remove_folder(const char *folder)
{
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list));)
        unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        closedir(list);
    rmdir(folder);
}

static const char *make_ask_program(void)
{
    const char *named = getenv("MAKE");
    return named && *named ? named : "make";
}

/* The path of the make, since its name means the script along the PATH of its children. It is
 * absolute, since make starts in the folder of the build. */
static bool find_program(char path[PATH_MAX])
{
    const char *name = make_ask_program(), *at = getenv("PATH");
    char found[PATH_MAX];
    bool named = strchr(name, '/'), good = false;
    if (named)
        good = snprintf(found, sizeof found, "%s", name) < PATH_MAX && access(found, X_OK) == 0;
    for (size_t n; !named && !good && at && *at; at += n + (at[n] == ':')) {
        n = strcspn(at, ":");
        int used = snprintf(found, sizeof found, "%.*s/%s", (int)n, at, name);
        good = used > 0 && used < PATH_MAX && access(found, X_OK) == 0;
    }
    if (good && *found != '/')
        return realpath(found, path);
    if (good)
        strcpy(path, found);
    return good;
}

/* The script's folder; empty if it cannot be made. */
static enum br_status make_ask_write_script(const struct cli_make_question *question, char *folder,
                                            size_t size, char make[PATH_MAX], struct br_diag *diag)
{
    const char *base = getenv("TMPDIR");
    char path[PATH_MAX + 16];
    if (!find_program(make))
        return br_fail(diag, BR_SYSTEM, "install it (make), or name it by MAKE",
                       "cannot find '%.200s', which knows what to build", make_ask_program());
    snprintf(folder, size, "%s/bigrocks-make-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        *folder = '\0';
        return br_fail(diag, BR_SYSTEM, "set TMPDIR", "no folder can be made: %s", strerror(errno));
    }
    snprintf(path, sizeof path, "%s/make", folder);
    FILE *out = fopen(path, "we");
    if (!out)
        return br_fail(diag, BR_SYSTEM, NULL, "'%.200s' cannot be written: %s", path,
                       strerror(errno));
    fputs("#!/bin/sh\nmake=", out);
    br_shell_write(out, make);
    fputs("\ndir=", out);
    br_shell_write(out, folder);
    fprintf(out, "\ndirty=%s\nwhole=%s\n%s", question->dirty ? "yes" : "",
            question->whole ? "yes" : "", script);
    bool good = chmod(path, 0700) == 0;
    good = fclose(out) == 0 && good;
    return good ? BR_OK
                : br_fail(diag, BR_SYSTEM, NULL, "'%.200s' cannot be written: %s", path,
                          strerror(errno));
}

static enum br_status make_ask_run(const struct cli_make_question *question, const char *folder,
                                   int fd, struct br_diag *diag)
{
    char path[PATH_MAX + 16];
    size_t words = 0;
    int status;
    const char **argument = calloc((size_t)question->arguments + 4, sizeof *argument);
    if (!argument)
        return br_fail_memory(diag);
    snprintf(path, sizeof path, "%s/make", folder);
    argument[words++] = path;
    if (question->file) {
        argument[words++] = "-f";
        argument[words++] = question->file;
    }
    for (uint32_t k = 0; k < question->arguments; k++)
        argument[words++] = question->argument[k];
    const struct br_launch how = {.program = path,
                                  .argv = (char *const *)argument,
                                  .directory = question->folder,
                                  .stream = {-1, fd, 2}};
    int error = cli_child_ask(&how, &status);
    free(argument);
    if (error)
        return br_fail(diag, BR_SYSTEM, NULL, "make cannot be started: %s", strerror(error));
    int code = cli_child_exit(status);
    return code
               ? br_fail(diag, BR_BAD_INPUT,
                         question->whole
                             ? "see its own message above"
                             : "see its own message above; if it needs files that another make of "
                               "the build makes first, as with autotools and Kbuild, give --whole, "
                               "or let make build under 'bigrocks serve': CC='bigrocks-admit gcc'",
                         "make refuses the build (exit status %d)", code)
               : BR_OK;
}

/* Has CMake written the build? Each make of it reads files that earlier ones made, so a dry run
 * fails, or leaves tasks out. */
static bool is_of_cmake(const struct cli_make_question *question)
{
    const char *name = question->file ? question->file : "Makefile";
    char path[PATH_MAX], line[64] = "";
    int size = *name == '/' ? snprintf(path, sizeof path, "%s", name)
                            : snprintf(path, sizeof path, "%s/%s", question->folder, name);
    FILE *in = size > 0 && size < PATH_MAX ? fopen(path, "re") : NULL;
    bool read = in && fgets(line, sizeof line, in);
    if (in)
        fclose(in);
    return read && strncmp(line, "# CMAKE generated file", 22) == 0;
}

/* The folder of the sources, as CMake's cache in the folder of the build has it. */
static void make_ask_sources(const char *folder, char sources[static 160])
{
    static const char key[] = "CMAKE_HOME_DIRECTORY:INTERNAL=";
    char path[PATH_MAX], line[PATH_MAX];
    int size = snprintf(path, sizeof path, "%s/CMakeCache.txt", folder);
    FILE *in = size > 0 && size < PATH_MAX ? fopen(path, "re") : NULL;
    snprintf(sources, 160, "SOURCES");
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\r\n")] = 0;
        if (strncmp(line, key, sizeof key - 1) == 0 && line[sizeof key - 1] &&
            strlen(line + sizeof key - 1) < 160)
            snprintf(sources, 160, "%s", line + sizeof key - 1);
    }
    if (in)
        fclose(in);
}

static enum br_status make_ask_refuse_cmake(const struct cli_make_question *question,
                                            struct br_diag *diag)
{
    char sources[160], hint[400];
    make_ask_sources(question->folder, sources);
    br_diag_file(diag, question->folder);
    snprintf(hint, sizeof hint,
             "let CMake write it for ninja into another folder: cmake -G Ninja -S %s -B FOLDER; "
             "then bigrocks import ninja -C FOLDER, or bigrocks build -C FOLDER",
             sources);
    return br_fail(diag, BR_BAD_INPUT, hint,
                   "CMake wrote this build, and its makes cannot tell ahead what they would do");
}

enum br_status cli_make_ask(const struct cli_make_question *question, int *fd, struct br_diag *diag)
{
    char folder[PATH_MAX] = "", make[PATH_MAX];
    struct stat there;
    *fd = -1;
    if (stat(question->folder, &there) || !S_ISDIR(there.st_mode)) {
        br_diag_file(diag, question->folder);
        return br_fail(diag, BR_SYSTEM, "give the folder of the build: -C FOLDER",
                       "there is no such folder");
    }
    if (is_of_cmake(question))
        return make_ask_refuse_cmake(question, diag);
    int file = br_unnamed_file();
    if (file < 0)
        return br_fail(diag, BR_SYSTEM, "set TMPDIR", "no file can be made: %s", strerror(errno));
    enum br_status status = make_ask_write_script(question, folder, sizeof folder, make, diag);
    if (!status)
        status = make_ask_run(question, folder, file, diag);
    if (!status)
        status = cli_make_clean(&file, folder, make, diag);
    if (*folder)
        make_ask_remove_folder(folder);
    if (cli_interrupted())
        cli_interrupt_die();
    if (status)
        close(file);
    else
        *fd = file;
    return status;
}
