/* The file form: a header, then arrays, each 8-byte aligned, then the names. The counts in the
 * header give the places of the arrays and the size. A checksum in the header covers everything
 * after it, so damage is detected. A table that another program wrote with senseless numbers passes
 * the checksum; checking each number finds it. */
#include "runtime/deadline/table.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/collections/index.h"

#define MAGIC "br-table"
#define ORDER_MARK UINT32_C(0x01020304)
#define NAME_MOST 65536u

struct head {
    char magic[8];
    uint32_t version, order_mark;
    uint64_t size, sum; /* the checksum covers all that follows it */
    uint64_t fingerprint, cluster_fingerprint, seed;
    uint32_t kind, indicator, runs, layers;
    uint32_t stages, allocations, cells, quantiles;
    uint32_t unit_ns, job_length, cluster_length, bends;
};
enum { SUMMED_FROM = offsetof(struct head, fingerprint) };
_Static_assert(sizeof(struct head) % 8 == 0, "arrays are aligned");

enum part {
    STAGE,
    WEIGHT,
    TASKS,
    ALLOCATION,
    AT,
    LEVEL,
    LEFT,
    BEND_AT,
    BEND_UNIT,
    BEND,
    JOB,
    CLUSTER,
    PARTS
};

struct layout {
    uint64_t at[PARTS], bytes[PARTS], size;
};

/* The counts are within their limits, so that nothing overflows. */
static struct layout table_file_lay_out(const struct head *head)
{
    struct layout layout = {.size = sizeof *head};
    uint64_t points = (uint64_t)head->layers * head->allocations;
    const uint64_t bytes[PARTS] = {
        [STAGE] = head->stages * (uint64_t)sizeof(struct br_table_stage),
        [WEIGHT] = head->stages * (uint64_t)sizeof(struct br_progress_weight),
        [TASKS] = head->stages * UINT64_C(4),
        [ALLOCATION] = head->allocations * UINT64_C(4),
        [AT] = head->cells * UINT64_C(8),
        [LEVEL] = head->quantiles * UINT64_C(8),
        [LEFT] = points * head->cells * (head->quantiles + UINT64_C(1)) * 4,
        [BEND_AT] = head->bends * UINT64_C(8),
        [BEND_UNIT] = head->bends ? points * 4 : 0,
        [BEND] = points * head->bends * 2,
        [JOB] = head->job_length + UINT64_C(1),
        [CLUSTER] = head->cluster_length + UINT64_C(1),
    };
    for (int k = 0; k < PARTS; k++) {
        layout.at[k] = layout.size;
        layout.bytes[k] = bytes[k];
        layout.size += (bytes[k] + 7) / 8 * 8;
    }
    assert(layout.size % 8 == 0);
    return layout;
}

static enum br_status table_file_damaged(struct br_diag *diag, const char *what)
{
    return br_fail(diag, BR_BAD_INPUT, "make the table again by 'bigrocks deadline JOB -o TABLE'",
                   "the table is damaged: %s", what);
}

/* ---- Reading ---- */

static enum br_status table_file_check_head(const struct head *head, uint64_t size,
                                            struct br_diag *diag)
{
    if (size < sizeof head->magic || memcmp(head->magic, MAGIC, sizeof head->magic) != 0)
        return br_fail(diag, BR_BAD_INPUT, "'bigrocks deadline JOB -o TABLE' makes one",
                       "this is no table of the time left");
    if (size < sizeof *head)
        return table_file_damaged(diag, "it is cut");
    if (head->order_mark != ORDER_MARK)
        return br_fail(diag, BR_BAD_INPUT, "make it on a machine like this one",
                       "the table is in another byte order");
    if (head->version != BR_TABLE_VERSION)
        return br_fail(diag, BR_BAD_INPUT, "make it again by this version of the program",
                       "the table is of version %" PRIu32 ", and this program reads version %u",
                       head->version, BR_TABLE_VERSION);
    if (head->stages < 1 || head->stages > BR_MAX_STAGES || head->allocations < 1 ||
        head->allocations > BR_TABLE_ALLOCATIONS || head->cells < 2 ||
        head->cells > BR_TABLE_CELLS || head->quantiles < 2 ||
        head->quantiles > BR_TABLE_QUANTILES || head->layers < 1 || head->layers > 2 ||
        head->bends > BR_TABLE_BENDS || head->job_length > NAME_MOST ||
        head->cluster_length > NAME_MOST)
        return table_file_damaged(diag, "a count is out of its range");
    if (head->size != size || table_file_lay_out(head).size != size)
        return table_file_damaged(diag,
                                  size < head->size ? "it is cut" : "its size is not what it says");
    if (head->sum !=
        br_hash_words(head->version, (const char *)head + SUMMED_FROM, size - SUMMED_FROM))
        return table_file_damaged(diag, "its sum does not fit it");
    if (head->kind > BR_SHARES || head->indicator >= BR_INDICATORS || head->unit_ns < 1 ||
        head->unit_ns > BR_TABLE_UNIT_NS || head->runs < 1)
        return table_file_damaged(diag, "a number of its head is out of its range");
    return BR_OK;
}

static bool is_time(double seconds)
{
    return seconds >= 0 && seconds <= 1e15;
}

static enum br_status check_stages(const struct br_deadline_table *table, struct br_diag *diag)
{
    for (uint32_t s = 0; s < table->stages; s++) {
        const struct br_table_stage *stage = &table->stage[s];
        const struct br_progress_weight *weight = &table->weight[s];
        if (!(weight->begin >= 0 && weight->begin <= 1) ||
            !(weight->span >= 0 && weight->span <= 1) || table->tasks[s] < 1 ||
            table->tasks[s] > BR_MAX_TASKS || !is_time(stage->longest_s) ||
            !is_time(stage->behind_s) || !is_time(stage->work_s))
            return table_file_damaged(diag, "a number of a stage is out of its range");
    }
    return BR_OK;
}

static enum br_status check_axes(const struct br_deadline_table *table, struct br_diag *diag)
{
    for (uint32_t k = 0; k < table->allocations; k++)
        if (table->allocation[k] <= (k ? table->allocation[k - 1] : 0))
            return table_file_damaged(diag, "the allocations do not ascend");
    double inner = table->cells - 1;
    for (uint32_t k = 1; k < table->cells; k++)
        if (!(table->at[k] * inner >= k - 1 - 1e-9 && table->at[k] * inner <= k + 1e-9))
            return table_file_damaged(diag, "a cell of progress is not where it should be");
    if (table->at[0] != 0 || table->level[0] != 0 || table->level[table->quantiles - 1] != 1)
        return table_file_damaged(diag, "the levels do not reach from 0 to 1");
    for (uint32_t k = 1; k < table->quantiles; k++)
        if (!(table->level[k] > table->level[k - 1]))
            return table_file_damaged(diag, "the levels do not ascend");
    return BR_OK;
}

static enum br_status check_numbers(const struct br_deadline_table *table, struct br_diag *diag)
{
    uint64_t cells = (uint64_t)table->layers * table->cells * table->allocations;
    const uint32_t *left = table->left;
    for (uint64_t c = 0; c < cells; c++, left += table->quantiles + 1)
        for (uint32_t k = 2; k <= table->quantiles; k++)
            if (left[k] < left[k - 1])
                return table_file_damaged(diag, "quantiles do not ascend");
    return BR_OK;
}

static enum br_status check_bends(const struct br_deadline_table *table, struct br_diag *diag)
{
    for (uint32_t k = 0; k < table->bends; k++)
        if (!(table->bend_at[k] * table->bends >= k - 1e-9 &&
              table->bend_at[k] * table->bends <= k + 1 + 1e-9))
            return table_file_damaged(diag, "a bend is not where it should be");
    for (uint32_t p = 0; table->bends && p < table->layers * table->allocations; p++)
        if (table->bend_unit[p] < 1 || table->bend_unit[p] > BR_TABLE_BEND_UNIT)
            return table_file_damaged(diag, "the unit of a bend is out of its range");
    return BR_OK;
}

/* The padding between arrays is 0, so that each table has only one form. */
static bool is_filled_with_zeros(const char *base, const struct layout *layout)
{
    for (int k = 0; k < PARTS; k++)
        for (uint64_t at = layout->at[k] + layout->bytes[k]; at % 8; at++)
            if (base[at])
                return false;
    return true;
}

static bool table_file_is_name(const char *text, uint32_t length)
{
    return strnlen(text, (size_t)length + 1) == length;
}

enum br_status br_table_read(const void *bytes, size_t size, struct br_deadline_table *table,
                             struct br_diag *diag)
{
    const struct head *head = bytes;
    *table = (struct br_deadline_table){0};
    enum br_status status = table_file_check_head(head, size, diag);
    if (status)
        return status;
    struct layout layout = table_file_lay_out(head);
    const char *base = bytes;
    struct br_deadline_table read = {
        .job = base + layout.at[JOB],
        .cluster = base + layout.at[CLUSTER],
        .fingerprint = head->fingerprint,
        .cluster_fingerprint = head->cluster_fingerprint,
        .seed = head->seed,
        .kind = (enum br_allocation)head->kind,
        .indicator = (enum br_indicator)head->indicator,
        .runs = head->runs,
        .layers = head->layers,
        .stages = head->stages,
        .stage = (const void *)(base + layout.at[STAGE]),
        .weight = (const void *)(base + layout.at[WEIGHT]),
        .tasks = (const void *)(base + layout.at[TASKS]),
        .allocations = head->allocations,
        .allocation = (const void *)(base + layout.at[ALLOCATION]),
        .cells = head->cells,
        .at = (const void *)(base + layout.at[AT]),
        .quantiles = head->quantiles,
        .level = (const void *)(base + layout.at[LEVEL]),
        .unit_ns = head->unit_ns,
        .left = (const void *)(base + layout.at[LEFT]),
        .bends = head->bends,
        .bend_at = (const void *)(base + layout.at[BEND_AT]),
        .bend_unit = (const void *)(base + layout.at[BEND_UNIT]),
        .bend = (const void *)(base + layout.at[BEND]),
    };
    if (!table_file_is_name(read.job, head->job_length) ||
        !table_file_is_name(read.cluster, head->cluster_length))
        return table_file_damaged(diag, "a name does not end where it should");
    if (!is_filled_with_zeros(base, &layout))
        return table_file_damaged(diag, "there is something between its arrays");
    status = check_stages(&read, diag);
    if (!status)
        status = check_axes(&read, diag);
    if (!status)
        status = check_numbers(&read, diag);
    if (!status)
        status = check_bends(&read, diag);
    if (!status)
        *table = read;
    return status;
}

static enum br_status table_fail_file(struct br_diag *diag, const char *what)
{
    return br_fail(diag, BR_SYSTEM, NULL, "the file %s: %s", what, strerror(errno));
}

/* An empty file cannot be mapped. */
static enum br_status map_file(int file, void **map, size_t *size, struct br_diag *diag)
{
    struct stat found;
    *map = NULL;
    *size = 0;
    if (fstat(file, &found) != 0)
        return table_fail_file(diag, "cannot be looked at");
    if (!S_ISREG(found.st_mode))
        return br_fail(diag, BR_BAD_INPUT, "write it to a file first",
                       "a table has to be an ordinary file");
    if (found.st_size == 0)
        return BR_OK;
    void *at = mmap(NULL, (size_t)found.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (at == MAP_FAILED)
        return table_fail_file(diag, "cannot be mapped");
    *map = at;
    *size = (size_t)found.st_size;
    return BR_OK;
}

enum br_status br_table_open(const char *path, struct br_deadline_table *table,
                             struct br_diag *diag)
{
    void *map = NULL;
    size_t size = 0;
    *table = (struct br_deadline_table){0};
    br_diag_file(diag, path);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return table_fail_file(diag, "cannot be opened");
    enum br_status status = map_file(file, &map, &size, diag);
    close(file);
    if (!status)
        status = br_table_read(map ? map : "", size, table, diag);
    if (status) {
        if (map)
            munmap(map, size);
        return status;
    }
    table->map = map;
    table->map_size = size;
    br_diag_file(diag, NULL);
    return BR_OK;
}

void br_table_close(struct br_deadline_table *table)
{
    if (table->map)
        munmap(table->map, table->map_size);
    *table = (struct br_deadline_table){0};
}

/* ---- Writing ---- */

static const void *table_file_part_of(const struct br_deadline_table *table, enum part part)
{
    const void *const of[PARTS] = {
        [STAGE] = table->stage,
        [WEIGHT] = table->weight,
        [TASKS] = table->tasks,
        [ALLOCATION] = table->allocation,
        [AT] = table->at,
        [LEVEL] = table->level,
        [LEFT] = table->left,
        [BEND_AT] = table->bend_at,
        [BEND_UNIT] = table->bend_unit,
        [BEND] = table->bend,
        [JOB] = table->job,
        [CLUSTER] = table->cluster,
    };
    return of[part];
}

enum br_status br_table_write(const struct br_deadline_table *table, FILE *out,
                              struct br_diag *diag)
{
    static const char zeros[8];
    size_t job = strlen(table->job), cluster = strlen(table->cluster);
    if (job > NAME_MOST || cluster > NAME_MOST)
        return br_fail(diag, BR_BAD_INPUT, NULL, "a name is longer than %u bytes", NAME_MOST);
    struct head head = {
        .version = BR_TABLE_VERSION,
        .order_mark = ORDER_MARK,
        .fingerprint = table->fingerprint,
        .cluster_fingerprint = table->cluster_fingerprint,
        .seed = table->seed,
        .kind = table->kind,
        .indicator = table->indicator,
        .runs = table->runs,
        .layers = table->layers,
        .stages = table->stages,
        .allocations = table->allocations,
        .cells = table->cells,
        .quantiles = table->quantiles,
        .unit_ns = table->unit_ns,
        .job_length = (uint32_t)job,
        .cluster_length = (uint32_t)cluster,
        .bends = table->bends,
    };
    memcpy(head.magic, MAGIC, sizeof head.magic);
    struct layout layout = table_file_lay_out(&head);
    head.size = layout.size;
    head.sum =
        br_hash_words(head.version, (const char *)&head + SUMMED_FROM, sizeof head - SUMMED_FROM);
    for (int k = 0; k < PARTS; k++)
        head.sum =
            br_hash_words(head.sum, table_file_part_of(table, (enum part)k), layout.bytes[k]);
    fwrite(&head, sizeof head, 1, out);
    for (int k = 0; k < PARTS; k++) {
        if (layout.bytes[k])
            fwrite(table_file_part_of(table, (enum part)k), 1, layout.bytes[k], out);
        fwrite(zeros, 1, (8 - layout.bytes[k] % 8) % 8, out);
    }
    return BR_OK;
}

/* ---- The job and cluster of a table ---- */

enum br_status br_table_check_job(const struct br_deadline_table *table, const struct br_dag *dag,
                                  const struct br_cluster *cluster, struct br_diag *diag)
{
    if (table->fingerprint != br_dag_fingerprint(dag, false))
        return br_fail(diag, BR_BAD_INPUT, "make a table of this job by 'bigrocks deadline'",
                       "the table is of another job ('%.80s', with other stages than '%.80s')",
                       table->job, dag->name);
    if (cluster && table->cluster_fingerprint &&
        table->cluster_fingerprint != br_cluster_fingerprint(cluster))
        return br_fail(diag, BR_BAD_INPUT, "make a table for this cluster by 'bigrocks deadline'",
                       "the table is for another cluster ('%.80s')", table->cluster);
    return BR_OK;
}
