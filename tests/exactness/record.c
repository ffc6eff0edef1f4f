#include "tests/exactness/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct text {
    char *start;
    size_t size;
};

static struct text write_text(const struct br_emit_input *input, bool plan)
{
    struct text text = {0};
    FILE *out = open_memstream(&text.start, &text.size);
    enum br_status status =
        plan ? br_emit_plan("json", input, out, NULL) : br_emit_job("xml", input, out, NULL);
    if (!out || fclose(out) || status)
        exit(BR_SYSTEM);
    return text;
}

void record_write(uint64_t seed, const char *word, const struct br_emit_input *input)
{
    struct text dag = write_text(input, false), json = write_text(input, true);
    printf("%" PRIu64 " %s %zu %zu\n", seed, word, dag.size, json.size);
    fwrite(dag.start, 1, dag.size, stdout);
    fwrite(json.start, 1, json.size, stdout);
    free(dag.start);
    free(json.start);
}
