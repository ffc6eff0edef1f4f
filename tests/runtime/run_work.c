/* The work of a task of the tests: work SECONDS BYTES [LOG TEXT]. Takes the memory, really, sleeps
 * until the time is over, and adds a line to the log, if there is one, before and after. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void add_line(char **argument, const char *word)
{
    char line[256];
    int length = snprintf(line, sizeof line, "%s %s\n", word, argument[4]);
    int file = open(argument[3], O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (file < 0 || write(file, line, (size_t)length) != length)
        exit(2);
    close(file);
}

int main(int count, char **argument)
{
    if (count != 3 && count != 5)
        return 2;
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = atof(argument[1]);
    size_t bytes = strtoull(argument[2], NULL, 10);
    if (count == 5)
        add_line(argument, "begin");
    char *memory = malloc(bytes + 1);
    if (!memory)
        return 3;
    memset(memory, 1, bytes + 1);
    long nanoseconds = end.tv_nsec + (long)((seconds - (double)(long)seconds) * 1e9);
    end.tv_sec += (long)seconds + nanoseconds / 1000000000;
    end.tv_nsec = nanoseconds % 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
    if (count == 5)
        add_line(argument, "end");
    int fault = memory[bytes / 2] != 1;
    free(memory);
    return fault;
}
