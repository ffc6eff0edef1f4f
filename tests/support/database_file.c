#include "tests/support/database_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char database_path[64];

/* In memory if there is such a folder, since each close waits for the disk. */
int database_make_path(void **state)
{
    (void)state;
    snprintf(database_path, sizeof database_path, "%s/bigrocks-database.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    int fd = mkstemp(database_path);
    return fd < 0 ? -1 : close(fd);
}

int database_remove(void **state)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    (void)state;
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        char name[96];
        snprintf(name, sizeof name, "%s%s", database_path, endings[k]);
        unlink(name);
    }
    return 0;
}
