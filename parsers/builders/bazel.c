/* Bazel's log of executed actions: in JSON (--execution_log_json_file) or compact
 * (--execution_log_compact_file). */
#include "parsers/builders/bazel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/builders/bazel_forms.h"
#include "parsers/reader/formats.h"
#include "parsers/text/begin.h"

enum { SIZE_LIMIT = INT32_MAX };

/* The first action's inputs, which come before its outputs, may be longer than the first bytes. */
bool br_is_bazel(const char *text)
{
    return bazel_is_compact(text) ||
           (*br_text_begin(text) == '{' && strstr(text, "\"commandArgs\"") &&
            (strstr(text, "\"listedOutputs\"") || strstr(text, "\"actualOutputs\"") ||
             strstr(text, "\"environmentVariables\"")));
}

static enum br_status bazel_doubts(struct bazel *bazel)
{
    enum br_status status = BR_OK;
    if (bazel->cached)
        status =
            br_dag_add_doubt(bazel->dag, bazel->diag,
                             "%" PRIu32 " actions came from the cache; they take the time that "
                             "this took",
                             bazel->cached);
    if (!status && bazel->failed)
        status = br_dag_add_doubt(bazel->dag, bazel->diag,
                                  "%" PRIu32 " actions that failed are left out", bazel->failed);
    return status;
}

enum br_status br_read_bazel(struct br_source *source, const struct br_parse_options *options,
                             struct br_input *input, struct br_diag *diag)
{
    struct br_diag own = {0};
    struct bazel bazel = {.options = options, .diag = diag ? diag : &own};
    char stem[256], *bytes;
    size_t size;
    enum br_status status =
        br_source_binary(source, SIZE_LIMIT, "bazel", &bytes, &size, bazel.diag);
    if (status)
        return status;
    const bool compact = bazel_is_compact(bytes);
    if (!compact)
        status = br_source_check(bytes, size, bazel.diag);
    bazel.dag = input->dag = br_dag_create(br_source_stem(source, "bazel", stem, sizeof stem));
    if (!input->dag)
        status = br_fail_memory(bazel.diag);
    if (!status)
        status = compact ? bazel_read_compact(&bazel, bytes, size)
                         : bazel_read_json(&bazel, bytes, size);
    if (!status)
        status = bazel_doubts(&bazel);
    br_index_finish(&bazel.index);
    br_arena_finish(&bazel.arena);
    free(bazel.file);
    free(bytes);
    return status;
}
