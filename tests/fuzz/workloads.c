/* Our own forms of workloads: whatever is read is written in both forms, and read again as it was.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/workload/write/workload.h"
#include "cluster/workload/read/workloads.h"
#include "tests/fuzz/fuzz.h"

/* A few bytes may ask for a job of millions of tasks, which is slow and no fault. */
static bool asks_for_much(const uint8_t *data, size_t size)
{
    size_t digits = 0;
    for (size_t k = 0; k < size; k++) {
        digits = data[k] >= '0' && data[k] <= '9' ? digits + 1 : 0;
        if (digits > 4 && memmem(data, size, "generate", 8))
            return true;
    }
    return false;
}

static struct br_workload *read_file(const char *name, const char *form, bool must)
{
    char path[200];
    struct br_diag diag = {0};
    struct br_workload_options options = br_workload_options_default();
    struct br_workload *workload;
    options.from = form;
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    enum br_status status = br_parse_workload(path, &options, &workload, &diag);
    fuzz_said(status, &diag);
    if (status && (workload || must))
        fuzz_fail(&diag, must ? "a written workload that is refused" : "a failure with a workload");
    return workload;
}

static char *write_form(const struct br_workload *workload, const char *form, size_t *size)
{
    char *text = NULL, target[200];
    struct br_diag diag = {0};
    FILE *out = open_memstream(&text, size);
    snprintf(target, sizeof target, "%s/w", fuzz_folder());
    if (!out || br_emit_workload(form, workload, target, out, &diag))
        fuzz_fail(&diag, "a workload that cannot be written");
    fclose(out);
    return text;
}

/* Written in `form`, read again, and written as XML once more, it is as it was, but for what a
 * table has no place for. */
static void write_again(const struct br_workload *workload, const char *form, const char *name)
{
    size_t size, again_size;
    char *text = write_form(workload, form, &size);
    fuzz_put(name, text, size);
    struct br_workload *again = read_file(name, form, true);
    char *other = write_form(again, form, &again_size);
    if (size != again_size || memcmp(text, other, size) != 0)
        fuzz_fail(NULL, "a workload that changes when it is written and read");
    br_workload_destroy(again);
    free(text);
    free(other);
}

static void read_workload(const char *form, const uint8_t *data, size_t size)
{
    static const char job[] = "<job xmlns='urn:bigrocks:job:1'><stage id='a' duration='1'/></job>";
    static const char log[] = "; MaxProcs: 8\n1 0 1 10 4 -1 -1 4 20 -1 1 3 1 1 1 -1 -1 -1\n"
                              "2 5 1 12 4 -1 -1 4 20 -1 1 4 1 1 1 -1 -1 -1\n";
    if (asks_for_much(data, size))
        return;
    fuzz_put("a.xml", job, sizeof job - 1);
    fuzz_put("log.swf", log, sizeof log - 1);
    fuzz_put("fuzzed", data, size);
    struct br_workload *workload = read_file("fuzzed", form, false);
    if (!workload)
        return;
    if (!workload->finished || !workload->jobs)
        fuzz_fail(NULL, "a workload that is not finished, or empty");
    write_again(workload, "xml", "again.xml");
    write_again(workload, "csv", "again.csv");
    br_workload_destroy(workload);
}

void fuzz_workload_xml(const uint8_t *data, size_t size)
{
    read_workload("xml", data, size);
}

void fuzz_workload_csv(const uint8_t *data, size_t size)
{
    read_workload("csv", data, size);
}
