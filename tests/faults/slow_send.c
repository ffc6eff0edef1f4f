/* Preloaded into `bigrocks serve`: after it has let a command start it does not come to run for a
 * while, as on a machine where others have more to do. */
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) ssize_t send(int fd, const void *message, size_t size,
                                                    int flags)
{
    static const struct timespec pause = {.tv_nsec = 400000000};
    ssize_t sent = syscall(SYS_sendto, fd, message, size, flags, NULL, 0);
    if (size == 2 && memcmp(message, "go", size) == 0)
        nanosleep(&pause, NULL);
    return sent;
}
