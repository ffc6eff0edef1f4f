/* The file of a table of the time left, and look-ups in what is taken of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/index.h"
#include "runtime/deadline/amdahl.h"
#include "runtime/deadline/trials/make.h"
#include "tests/fuzz/fuzz.h"

enum { SUMMED_FROM = 32, SUM_AT = 24, VERSION_AT = 8 };

/* A small table in both orders; its bytes, which stay. */
static const char *good_table(size_t *size)
{
    static const char job[] = "<job xmlns='urn:bigrocks:job:1' name='j'>"
                              "<stage id='a' tasks='3' duration='1' spread='0.5'/>"
                              "<stage id='b' duration='1'/><edge from='a' to='b'/></job>";
    static const uint32_t rank[] = {4, 3, 2, 1};
    static char *bytes;
    static size_t length;
    struct br_diag diag = {0};
    struct br_input input = {0};
    struct br_deadline_profile profile;
    struct br_made_table made;
    *size = length;
    if (bytes)
        return bytes;
    if (br_parse_job(fuzz_file(1, job, sizeof job - 1), NULL, &input, &diag) ||
        br_profile_init(&profile, input.dag, &diag))
        fuzz_fail(&diag, "the target's own job cannot be read");
    struct br_deadline_request request = br_deadline_request_default();
    request.dag = input.dag;
    request.profile = &profile;
    request.rank = rank;
    request.most = 2;
    request.cells = 3;
    request.runs = 5;
    if (br_deadline_make(&request, &made, &diag))
        fuzz_fail(&diag, "the target's own table cannot be made");
    FILE *out = open_memstream(&bytes, &length);
    if (!out || br_table_write(&made.table, out, &diag) || fclose(out))
        fuzz_fail(&diag, "the target's own table cannot be written");
    br_deadline_release(&made);
    br_profile_finish(&profile);
    br_input_finish(&input);
    *size = length;
    return bytes;
}

/* Puts the sum right, so that what comes behind it is looked at. */
static void sum_up(char *bytes, size_t size)
{
    uint32_t version;
    if (size < SUMMED_FROM)
        return;
    memcpy(&version, bytes + VERSION_AT, sizeof version);
    uint64_t sum = version;
    for (size_t k = SUMMED_FROM; k < size; k += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + k, size - k < 8 ? size - k : 8);
        sum = br_hash_number(sum ^ word);
    }
    memcpy(bytes + SUM_AT, &sum, sizeof sum);
}

static void look_up(const struct br_deadline_table *table, uint32_t layer, uint32_t index)
{
    static double left_s[BR_TABLE_QUANTILES];
    for (int step = 0; step <= 8; step++) {
        struct br_table_place place = step ? br_table_at(table, step / 8.0) : br_table_start(table);
        int64_t before_ns = 0;
        for (int q = 0; q <= 4; q++) {
            int64_t ns = br_table_quantile_ns(table, layer, place, index, q / 4.0);
            if (ns < before_ns)
                fuzz_fail(NULL, "quantiles fall");
            before_ns = ns;
        }
        double share = br_table_share(table, layer, place, index, before_ns / 2);
        if (!(share >= 0 && share <= 1) || br_table_mean_ns(table, layer, place, index) < 0)
            fuzz_fail(NULL, "a share or a mean that is none");
        br_table_distribution(table, layer, place, index, left_s);
    }
}

static void use(const struct br_deadline_table *table)
{
    uint32_t *done = calloc(table->stages, sizeof *done);
    if (!done)
        fuzz_fail(NULL, "memory is out");
    double progress = br_table_progress(table, done);
    if (!(progress >= 0 && progress <= 1) || br_amdahl_ns(table, done, table->allocation[0]) < 0)
        fuzz_fail(NULL, "progress or time below 0");
    free(done);
    for (uint32_t layer = 0; layer < table->layers; layer++)
        for (uint32_t a = 0; a < table->allocations && a < 5; a++)
            look_up(table, layer, a);
    if (br_table_index(table, 0) != 0 ||
        br_table_index(table, UINT32_MAX) != table->allocations - 1)
        fuzz_fail(NULL, "an index that is none");
}

/* The first byte: 0 takes the rest as a table; else so many triples (where, of two bytes, and how)
 * change bytes of a good one, whose sum is put right. What is taken is used, and written as it was.
 */
void fuzz_table(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_deadline_table table;
    size_t length, used = 1;
    const char *good = good_table(&length);
    if (size == 0 || data[0] == 0)
        length = size ? size - 1 : 0;
    char *bytes = malloc(length + 1), *again;
    if (!bytes)
        fuzz_fail(NULL, "memory is out");
    memcpy(bytes, size && data[0] ? good : (const char *)data + (size ? 1 : 0), length);
    for (; size && data[0] && used + 3 <= size; used += 3)
        bytes[(data[used] * 256u + data[used + 1]) % length] ^= (char)data[used + 2];
    if (size && data[0] % 2)
        sum_up(bytes, length);
    enum br_status status = br_table_open(fuzz_file(0, bytes, length), &table, &diag);
    fuzz_said(status, &diag);
    if (!status) {
        use(&table);
        size_t written;
        FILE *out = open_memstream(&again, &written);
        if (!out || br_table_write(&table, out, &diag) || fclose(out))
            fuzz_fail(&diag, "a table that was read cannot be written");
        if (written != length || memcmp(again, bytes, length) != 0)
            fuzz_fail(NULL, "a table that is written as another one");
        free(again);
    }
    br_table_close(&table);
    free(bytes);
}
