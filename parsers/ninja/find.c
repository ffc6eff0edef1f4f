/* Whether there is a build. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/diag.h"
#include "parsers/ninja/build.h"

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
    if (error)
        return br_fail(
            diag, BR_SYSTEM,
            "give the folder of a configured build, as CMake and meson make it: -C FOLDER",
            "cannot be read: %s", strerror(error));
    br_diag_file(diag, NULL);
    return BR_OK;
}
