/* Preloaded into `bigrocks serve`: it does not come to run for a while right before it removes a
 * socket's name, as on a machine where others have more to do. */
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int unlink(const char *path)
{
    static const struct timespec pause = {.tv_nsec = 400000000};
    size_t size = strlen(path);
    if (size > 7 && strcmp(path + size - 7, "/socket") == 0)
        nanosleep(&pause, NULL);
    return (int)syscall(SYS_unlink, path);
}
