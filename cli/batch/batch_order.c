/* The order in which the jobs of a batch begin: what probably takes longest first, so that no
 * thread is left with a long job while the others have nothing to do (LPT, longest processing time
 * first). The work is guessed from the file before it is read as a job: a count of its tasks as far
 * as its beginning says it, and its size. */
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/collections/sort.h"
#include "cli/batch/batch.h"

/* Bytes read of a file, and the bytes that a task counts for. (A stage with its demands is written
 * in 100 to 300 bytes, in most formats.) */
enum { READ_MOST = 1 << 16, TASK_BYTES = 100, TASKS_MOST = 100000000 };

/* The sum of all attributes tasks="N" in a text. */
static uint64_t count_tasks(const char *text, size_t size)
{
    static const char word[] = " tasks=";
    const char *end = text + size, *at = text;
    uint64_t sum = 0;
    while ((at = memmem(at, (size_t)(end - at), word, sizeof word - 1))) {
        at += sizeof word - 1;
        at += at < end && (*at == '"' || *at == '\'');
        uint64_t tasks = 0;
        for (; at < end && *at >= '0' && *at <= '9' && tasks < TASKS_MOST; at++)
            tasks = 10 * tasks + (uint64_t)(*at - '0');
        sum += tasks;
    }
    return sum;
}

/* The work of a job, in bytes; 0 if its file cannot be looked at, or would block. A folder is a
 * log in parts: its own size tells how many. */
static uint64_t guess_work(const char *path, char *buffer)
{
    struct stat about;
    if (stat(path, &about) != 0 || about.st_size <= 0)
        return 0;
    const uint64_t bytes = (uint64_t)about.st_size;
    if (!S_ISREG(about.st_mode))
        return S_ISDIR(about.st_mode) ? bytes : 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return 0;
    ssize_t size = read(fd, buffer, READ_MOST);
    close(fd);
    if (size <= 0)
        return bytes;
    const double tasks = (double)count_tasks(buffer, (size_t)size);
    const double work = (double)bytes + TASK_BYTES * tasks * ((double)bytes / (double)size);
    return work < 1e18 ? (uint64_t)work : (uint64_t)1e18;
}

enum br_status cli_batch_order(const struct cli_rows *rows, uint32_t first, uint32_t jobs,
                               bool by_work, uint32_t **order, struct br_diag *diag)
{
    char *buffer = malloc(READ_MOST);
    struct br_sort_item *guess = calloc(2 * (size_t)jobs + 1, sizeof *guess);
    *order = calloc((size_t)jobs + 1, sizeof **order);
    bool ok = buffer && guess && *order;
    for (uint32_t k = 0; ok && k < jobs; k++) {
        const uint32_t index = first + k * rows->step;
        assert(index < rows->list->count);
        guess[k] = (struct br_sort_item){UINT64_MAX, index}; /* least keys, most work first */
        if (!by_work || cli_rows_status(rows, index) == CLI_ROW_PLANNED)
            continue;
        char *path = cli_job_list_path(rows->list, index);
        ok = path != NULL;
        if (ok)
            guess[k].key = UINT64_MAX - guess_work(path, buffer);
        free(path);
    }
    if (ok)
        br_sort(guess, guess + jobs, jobs);
    for (uint32_t k = 0; ok && k < jobs; k++)
        (*order)[k] = guess[k].item;
    free(guess);
    free(buffer);
    return ok ? BR_OK : br_fail_memory(diag);
}
