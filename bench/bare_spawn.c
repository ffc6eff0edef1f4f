/* The least cost of starting a process: N times posix_spawn of /bin/true, each waited for. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

int main(int count, char **argument)
{
    long times = count > 1 ? atol(argument[1]) : 1000;
    char program[] = "/bin/true", *words[] = {program, NULL};
    for (long k = 0; k < times; k++) {
        pid_t pid;
        if (posix_spawn(&pid, program, NULL, NULL, words, environ) || waitpid(pid, NULL, 0) != pid)
            return 1;
    }
    return 0;
}
