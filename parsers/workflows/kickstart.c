/* Records of kickstart in YAML, as Pegasus 5 keeps them in the submit folder of a run, in files
 * JOB.out.000, .001 and so on for each try:
 *
 *     - invocation: True
 *       derivation: "ID0000001"
 *       mainjob:
 *         duration: 0.005
 *         status:
 *           regular_exitcode: 0
 *
 * A file may hold several, of a job that was clustered, and what the jobs have printed, which need
 * not be YAML. So records are read by lines and by how far these are indented. Folders with a file
 * braindump.yml are those of other workflows, whose jobs have the same ids. Source: Pegasus 5,
 * src/tools/pegasus-kickstart/appinfo.c. */
#include "parsers/workflows/kickstart.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/collections/arena.h"
#include "base/collections/grow.h"
#include "base/collections/sort.h"
#include "parsers/text/source.h"
#include "parsers/text/value.h"

enum { TEXT_LIMIT = 256 << 20, DEEPEST = 16 };

struct kickstart {
    struct br_dag *dag;
    struct br_diag *diag;
    struct br_arena arena;
    const char **path; /* of the files */
    uint32_t paths, room;
    int64_t *job_ns; /* by stage; -1: no record that ended well */
    uint32_t records, strange;
    /* Of the record that is read. */
    bool inside, main, status, well;
    uint32_t stage;
    int64_t ns;
};

/* ---- The files ---- */

/* "ls_ID0000001.out.000" */
static bool kickstart_is_name(const char *name)
{
    const char *end = strrchr(name, '.');
    return end && end - name > 4 && strncmp(end - 4, ".out", 4) == 0 && end[1] &&
           end[1 + strspn(end + 1, "0123456789")] == 0;
}

static enum br_status kickstart_list(struct kickstart *all, const char *folder, uint32_t depth);

/* Adds the file, or those in the folder. */
static enum br_status kickstart_add(struct kickstart *all, const char *path, const char *name,
                                    uint32_t depth)
{
    char inner[PATH_MAX + 20];
    struct stat is;
    if (lstat(path, &is) != 0)
        return BR_OK;
    if (S_ISDIR(is.st_mode)) {
        snprintf(inner, sizeof inner, "%s/braindump.yml", path);
        return depth < DEEPEST && access(inner, F_OK) != 0 ? kickstart_list(all, path, depth + 1)
                                                           : BR_OK;
    }
    if (!S_ISREG(is.st_mode) || !kickstart_is_name(name))
        return BR_OK;
    const char *copy = br_arena_text(&all->arena, path);
    if (!copy || !br_grow(&all->path, all->paths, &all->room, sizeof *all->path))
        return br_fail_memory(all->diag);
    all->path[all->paths++] = copy;
    return BR_OK;
}

static enum br_status kickstart_list(struct kickstart *all, const char *path, uint32_t depth)
{
    char inner[PATH_MAX];
    enum br_status status = BR_OK;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && !status && (errno = 0, entry = readdir(folder));) {
        const int size = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && size < (int)sizeof inner)
            status = kickstart_add(all, inner, entry->d_name, depth);
    }
    if (!status && (!folder || errno)) {
        const int fault = errno;
        br_diag_file(all->diag, path);
        status = br_fail_at(all->diag, BR_NO_POS, BR_SYSTEM, NULL, "cannot be read: %s",
                            strerror(fault));
    }
    if (folder)
        closedir(folder);
    return status;
}

static int kickstart_by_path(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* ---- Records ---- */

static void kickstart_end(struct kickstart *all)
{
    if (all->inside && all->well && all->ns >= 0 && all->stage != UINT32_MAX)
        all->job_ns[all->stage] = all->ns;
    all->inside = false;
}

static void kickstart_begin(struct kickstart *all)
{
    kickstart_end(all);
    all->inside = true;
    all->main = all->status = all->well = false;
    all->stage = UINT32_MAX;
    all->ns = -1;
    all->records++;
}

/* The value of the key, without quotation marks, cut off in place; NULL: the line has another. */
static char *kickstart_value(char *line, const char *key)
{
    const size_t size = strlen(key);
    if (strncmp(line, key, size) != 0 || line[size] != ':')
        return NULL;
    char *value = line + size + 1;
    value += strspn(value, " ");
    value += *value == '"';
    value[strcspn(value, "\"\r")] = 0;
    return value;
}

static enum br_status kickstart_line(struct kickstart *all, char *line, uint32_t number)
{
    const size_t indent = strspn(line, " ");
    char *value;
    line += indent;
    if (indent == 2) {
        all->main = kickstart_value(line, "mainjob") != NULL;
        all->status = false;
        /* What Pegasus itself adds to a workflow has none. */
        if ((value = kickstart_value(line, "derivation")) != NULL && strcmp(value, "null") != 0) {
            all->stage = br_dag_find_stage(all->dag, value);
            all->strange += all->stage == UINT32_MAX;
        }
    } else if (indent == 4 && all->main) {
        all->status = kickstart_value(line, "status") != NULL;
        if ((value = kickstart_value(line, "duration")) != NULL) {
            br_value_place(all->diag, (struct br_pos){number, 5});
            return br_value_seconds(value, "duration", "the main job", &all->ns, all->diag);
        }
    } else if (indent == 6 && all->status) {
        value = kickstart_value(line, "regular_exitcode");
        all->well |= value && strcmp(value, "0") == 0;
    }
    return BR_OK;
}

static enum br_status kickstart_read(struct kickstart *all, const char *path)
{
    static const char begin[] = "- invocation:";
    struct br_source source;
    char *text;
    size_t size;
    enum br_status status = br_source_open(&source, path, all->diag);
    if (status)
        return status;
    /* As bytes: what a job prints is in its record, and may be anything. */
    status = br_source_bytes(&source, TEXT_LIMIT, "kickstart", &text, &size, all->diag);
    br_source_close(&source);
    if (status)
        return status;
    uint32_t number = 0;
    for (char *line = text, *next; line && *line && !status; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        number++;
        if (strncmp(line, begin, sizeof begin - 1) == 0)
            kickstart_begin(all);
        else if (all->inside && *line && *line != ' ' && *line != '\r')
            kickstart_end(all);
        else if (all->inside)
            status = kickstart_line(all, line, number);
    }
    kickstart_end(all);
    free(text);
    return status;
}

static enum br_status kickstart_give(const struct kickstart *all, const char *path)
{
    struct br_dag *dag = all->dag;
    uint32_t idle = 0;
    for (uint32_t s = 0; s < dag->stages; s++) {
        if (all->job_ns[s] >= 0)
            br_dag_set_stage_duration(dag, s, all->job_ns[s]);
        idle += all->job_ns[s] < 0;
    }
    if (idle == dag->stages) {
        br_diag_file(all->diag, path);
        return br_fail_at(all->diag, BR_NO_POS, BR_BAD_INPUT,
                          "give the submit folder of a run of this workflow by Pegasus 5",
                          "%" PRIu32 " records of kickstart (JOB.out.000) are in the folder, none "
                          "of them of a job of this workflow that ended well",
                          all->records);
    }
    enum br_status status = BR_OK;
    if (idle)
        status = br_dag_add_doubt(dag, all->diag,
                                  "%" PRIu32 " jobs have no record of kickstart that ended well: "
                                  "they last as the workflow says, or --default-duration",
                                  idle);
    if (!status && all->strange)
        status = br_dag_add_doubt(dag, all->diag,
                                  "%" PRIu32 " records of kickstart are of no job of the workflow",
                                  all->strange);
    return status;
}

enum br_status br_kickstart_take(const char *path, const char *file, struct br_input *input,
                                 struct br_diag *diag)
{
    struct stat is;
    if (!path || stat(path, &is) != 0 || !S_ISDIR(is.st_mode))
        return BR_OK;
    struct kickstart all = {.dag = input->dag, .diag = diag};
    input->timed = true;
    all.job_ns = br_malloc(((size_t)all.dag->stages + 1) * sizeof *all.job_ns);
    for (uint32_t s = 0; all.job_ns && s < all.dag->stages; s++)
        all.job_ns[s] = -1;
    enum br_status status = all.job_ns ? kickstart_list(&all, path, 0) : br_fail_memory(diag);
    if (!status && all.paths)
        br_sort_by(all.path, all.paths, sizeof *all.path, kickstart_by_path);
    for (uint32_t k = 0; k < all.paths && !status; k++)
        status = kickstart_read(&all, all.path[k]);
    if (!status)
        status = kickstart_give(&all, path);
    if (!status)
        br_diag_file(diag, file);
    br_arena_finish(&all.arena);
    br_free(all.path);
    br_free(all.job_ns);
    return status;
}
