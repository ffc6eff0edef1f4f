/* Readers of what other programs say: the kernel's files of control groups, Slurm's programs, a
 * server that is asked for its status, a file of plans. */
#include <stdlib.h>
#include <string.h>

/* Their readers are not seen from outside. */
#include "cli/admission/status.c"
#include "runtime/drivers/slurm/allocation.c"

#include "base/process/machine.h"
#include "store/row.h"
#include "tests/fuzz/fuzz.h"

enum { PIECES = 4, PLANNED = 5 };

/* Texts with a NUL between them; those that are missing are empty. The first is to be freed. */
static void cut(const uint8_t *data, size_t size, char *piece[PIECES])
{
    char *text = fuzz_text(data, size), *end = text + size;
    for (int k = 0; k < PIECES; k++) {
        piece[k] = text;
        text += strlen(text);
        text += text < end;
    }
}

/* The groups of a process, the mounts, and two files of a group that is mounted. */
void fuzz_machine(const uint8_t *data, size_t size)
{
    struct br_machine machine = {.processors = 4, .memory_bytes = 1 << 30};
    char *piece[PIECES], *mounts;
    cut(data, size, piece);
    fuzz_put("cpu.max", piece[2], strlen(piece[2]));
    fuzz_put("memory.max", piece[3], strlen(piece[3]));
    if (asprintf(&mounts, "31 23 0:28 / %s rw - cgroup2 cgroup rw\n%s", fuzz_folder(), piece[1]) <
        0)
        fuzz_fail(NULL, "memory is out");
    br_machine_limit(&machine, fuzz_file(0, piece[0], strlen(piece[0])),
                     fuzz_file(1, mounts, strlen(mounts)));
    if (machine.processors < 1 || machine.processors > 4 || machine.memory_bytes < 1 ||
        machine.memory_bytes > 1 << 30)
        fuzz_fail(NULL, "a limit raises what there is, or leaves nothing");
    free(mounts);
    free(piece[0]);
}

/* A list of processors, and what scontrol says of a job. */
void fuzz_allocation(const uint8_t *data, size_t size)
{
    char *piece[PIECES];
    cut(data, size, piece);
    allocation_least_of(piece[0]);
    if (least_memory(piece[1]) < 0)
        fuzz_fail(NULL, "memory below nothing");
    free(piece[0]);
}

/* An answer of a server steers no terminal. */
void fuzz_status(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *shown = NULL;
    size_t length;
    FILE *out = stdout, *kept = open_memstream(&shown, &length);
    if (!kept)
        fuzz_fail(NULL, "memory is out");
    stdout = kept;
    print_answer(text);
    stdout = out;
    fclose(kept);
    for (size_t k = 0; k < length; k++)
        if (((unsigned char)shown[k] < ' ' && shown[k] != '\n') || shown[k] == 0x7f)
            fuzz_fail(NULL, "a control character is shown");
    free(shown);
    free(text);
}

/* A row of a store: a plan that it gives is one, and its bound is proven. */
void fuzz_store(const uint8_t *data, size_t size)
{
    static const char job[] =
        "<job xmlns='urn:bigrocks:job:1' name='j'><stage id='a' tasks='4' duration='2'>"
        "<demand resource='cpu' amount='1'/></stage><stage id='b' duration='1'/>"
        "<edge from='a' to='b'/></job>";
    static struct br_input input;
    static struct br_cluster *cluster;
    static struct br_instance *in;
    const size_t cells = PLANNED * BR_STORE_CELL < size ? PLANNED * BR_STORE_CELL : size;
    struct br_diag diag = {0};
    struct br_plan *plan;
    if (!in && (br_parse_job(fuzz_file(0, job, sizeof job - 1), NULL, &input, &diag) ||
                br_parse_capacity(2, "cpu=1", &cluster, &diag) ||
                br_instance_create(input.dag, cluster, &in, &diag)))
        fuzz_fail(&diag, "the target's own job cannot be read");
    char *proof = fuzz_text(data + cells, size - cells);
    const struct br_store_row row = {.method = "cp",
                                     .bound_method = "path",
                                     .cells = data,
                                     .cells_size = cells,
                                     .certificate = size > cells ? proof : NULL,
                                     .certificate_size = size - cells};
    enum br_status status = br_store_row_revive(&row, input.dag, cluster, in, &plan, &diag);
    if (status && plan)
        fuzz_fail(&diag, "a plan of a row that holds none");
    if (!status && br_plan_verify(plan, input.dag, cluster, 1, NULL, NULL, &diag))
        fuzz_fail(&diag, "a plan that is none");
    br_plan_destroy(plan);
    free(proof);
}
