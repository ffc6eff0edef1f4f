/* Looks for a build. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/diag.h"
#include "parsers/ninja/build.h"

static bool find_has(const char *folder, const char *file)
{
    char path[PATH_MAX];
    int size = snprintf(path, sizeof path, "%s/%s", folder, file);
    return size < (int)sizeof path && access(path, R_OK) == 0;
}

/* The first folder of the usual names with a build in it; NULL: none. */
static const char *find_below(const char *folder)
{
    static const char *const usual[] = {"build", "builddir", "_build", "out"};
    char path[64];
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++) {
        snprintf(path, sizeof path, "%s/build.ninja", usual[k]);
        if (find_has(folder, path))
            return usual[k];
    }
    return NULL;
}

/* Advice for a folder without a build.ninja, by its other contents. */
static void find_advise(const char *folder, char *hint, size_t size)
{
    const char *below = find_below(folder);
    char at[PATH_MAX + 8] = "";
    bool fits = strlen(folder) <= 50; /* a part of a name would be none */
    if (strcmp(folder, ".") != 0)
        snprintf(at, sizeof at, "%s/", folder);
    if (below && fits)
        snprintf(hint, size, "the folder of the build is below it: -C %.150s%s", at, below);
    else if (fits && find_has(folder, "CMakeLists.txt"))
        snprintf(hint, size,
                 "configure it first: cmake -G Ninja -S %.50s -B %.50sbuild, then -C %.50sbuild",
                 folder, at, at);
    else if (fits && find_has(folder, "meson.build"))
        snprintf(hint, size, "configure it first: meson setup %.50sbuild %.50s, then -C %.50sbuild",
                 at, folder, at);
    else if (fits && (find_has(folder, "Makefile") || find_has(folder, "makefile") ||
                      find_has(folder, "GNUmakefile")))
        snprintf(hint, size, "it is a build of make's: bigrocks import make -C %.150s -o job.xml",
                 folder);
    else if (find_has(folder, "Cargo.toml"))
        snprintf(hint, size,
                 "cargo builds it, under 'bigrocks serve' with RUSTC_WRAPPER=bigrocks-admit; see "
                 "docs/build.md");
    else
        snprintf(hint, size,
                 "give the folder of a configured build, as CMake and meson make it: -C FOLDER");
}

enum br_status br_ninja_find(const char *folder, const char *file, struct br_diag *diag)
{
    char path[PATH_MAX];
    struct stat what;
    if (!file)
        file = "build.ninja";
    br_diag_file(diag, folder);
    if (stat(folder, &what) || !S_ISDIR(what.st_mode))
        return br_fail(diag, BR_SYSTEM, "give the folder of the build: -C FOLDER",
                       "there is no such folder");
    int size = *file == '/' ? snprintf(path, sizeof path, "%s", file)
                            : snprintf(path, sizeof path, "%s/%s", folder, file);
    int error = size < PATH_MAX ? 0 : ENAMETOOLONG;
    br_diag_file(diag, path);
    if (!error && access(path, R_OK))
        error = errno;
    if (error) {
        char hint[256] =
            "give the folder of a configured build, as CMake and meson make it: -C FOLDER";
        if (strcmp(file, "build.ninja") == 0)
            find_advise(folder, hint, sizeof hint);
        return br_fail(diag, BR_SYSTEM, hint, "cannot be read: %s", strerror(error));
    }
    br_diag_file(diag, NULL);
    return BR_OK;
}
