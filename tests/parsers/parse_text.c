/* Texts as files in memory, and jobs as texts. */
#include "tests/parsers/parse_text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

struct parse_text parse_text_open(const void *bytes, size_t size)
{
    struct parse_text text = {.fd = memfd_create("parse", MFD_CLOEXEC)};
    assert_true(text.fd >= 0);
    for (size_t done = 0; done < size;) {
        ssize_t n = write(text.fd, (const char *)bytes + done, size - done);
        assert_true(n > 0);
        done += (size_t)n;
    }
    snprintf(text.path, sizeof text.path, "/proc/self/fd/%d", text.fd);
    return text;
}

void parse_text_close(struct parse_text *text)
{
    close(text->fd);
}

const char *parse_fixture(const char *name)
{
    static char path[4096];
    const char *tests = getenv("BIGROCKS_TESTS");
    snprintf(path, sizeof path, "%s/data/%s", tests ? tests : "tests", name);
    return path;
}

char *parse_file(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    long length = ftell(in);
    assert_true(length >= 0);
    rewind(in);
    char *text = malloc((size_t)length + 1);
    assert_non_null(text);
    *size = fread(text, 1, (size_t)length, in);
    assert_int_equal(*size, length);
    text[*size] = 0;
    fclose(in);
    return text;
}

static char out[1 << 16];
static size_t used;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    used += (size_t)vsnprintf(out + used, sizeof out - used, format, args);
    va_end(args);
    assert_true(used < sizeof out);
}

static void add_decimal(struct br_decimal value)
{
    char text[BR_DECIMAL_TEXT];
    br_decimal_format(value, text, sizeof text);
    add("%s", text);
}

static void add_seconds(int64_t ns)
{
    char text[BR_SECONDS_TEXT];
    br_seconds_format(ns, text);
    add("%s", text);
}

static void add_attributes(const struct br_dag *dag, enum br_owner owner, uint32_t index)
{
    for (uint32_t a = 0; a < dag->attributes; a++)
        if (dag->attribute[a].owner == owner && dag->attribute[a].index == index)
            add(" {%s=%s}", dag->attribute[a].name, dag->attribute[a].value);
}

const char *parse_describe(const struct br_input *input)
{
    const struct br_dag *dag = input->dag;
    used = 0;
    add("%s", dag->name);
    add_attributes(dag, BR_OWNER_JOB, 0);
    add("\n");
    for (uint32_t r = 0; r < dag->resources; r++)
        add("resource %s%s%s\n", dag->resource[r].name, dag->resource[r].unit ? " in " : "",
            dag->resource[r].unit ? dag->resource[r].unit : "");
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        add("%s*%" PRIu32 " ", stage->id, stage->tasks);
        add_seconds(stage->duration_ns);
        for (uint32_t i = 0; i < stage->tasks; i++)
            if (dag->duration_ns[stage->first_task + i] != stage->duration_ns) {
                add(" [%" PRIu32 "] ", i);
                add_seconds(dag->duration_ns[stage->first_task + i]);
            }
        for (uint32_t d = 0; d < stage->demands; d++) {
            const struct br_demand *demand = &dag->demand[stage->first_demand + d];
            add(" %s=", dag->resource[demand->resource].name);
            add_decimal(demand->amount);
        }
        if (stage->command)
            add(" `%s`", stage->command);
        add_attributes(dag, BR_OWNER_STAGE, s);
        add(" @%" PRIu32 ":%" PRIu32 "\n", stage->pos.line, stage->pos.column);
    }
    for (uint32_t e = 0; e < dag->edges; e++) {
        add("%s %s %s", dag->stage[dag->edge[e].parent].id,
            dag->edge[e].type == BR_ONE_TO_ONE ? "=>" : "->", dag->stage[dag->edge[e].child].id);
        add_attributes(dag, BR_OWNER_EDGE, e);
        add(" @%" PRIu32 ":%" PRIu32 "\n", dag->edge[e].pos.line, dag->edge[e].pos.column);
    }
    for (uint32_t c = 0; input->cluster && c < input->cluster->classes; c++) {
        const struct br_class *cls = &input->cluster->cls[c];
        add("machine %s*%" PRIu32, cls->name, cls->count);
        for (uint32_t k = 0; k < cls->capacities; k++) {
            add(" %s=", cls->capacity[k].resource);
            add_decimal(cls->capacity[k].amount);
        }
        add("\n");
    }
    return out;
}
