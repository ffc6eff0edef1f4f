/* The table of forms, and paths of job files relative to another folder. */
#include "cluster/workload/write/workload.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/workload/write/form.h"
#include "emit/write/write.h"

static const struct form {
    struct br_named named;
    br_write_workload *write;
    const char *(*fault)(const struct br_dag *dag); /* why a job does not fit; NULL: all fit */
    bool whole;                                     /* needs no files of jobs */
} forms[] = {
    {{"xml", "native form, which may carry a cluster"}, br_write_workload_xml, NULL, false},
    {{"csv", "a table with commas, a job a line"}, br_write_workload_csv, NULL, false},
    {{"tasks", "a table of jobs with the durations of their tasks, which needs no job files"},
     br_write_workload_tasks,
     br_tasks_fault,
     true},
};

const struct br_names br_workload_forms = {BR_NAMES(forms)};

/* ---- Paths ---- */

/* The folder of a path, resolved; false if there is none. */
static bool resolve_folder(const char *path, char folder[PATH_MAX])
{
    char part[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof part)
        return false;
    memcpy(part, path, length);
    part[length] = 0;
    return realpath(!slash ? "." : length ? part : "/", folder);
}

/* The path `to` a folder from another one, both resolved: "../../x/", "" for the same. */
static bool workloads_walk(const char *from, const char *to, char *path, size_t size)
{
    size_t same = 0, used = 0;
    for (size_t k = 0; from[k] == to[k] || !from[k] || !to[k]; k++) {
        bool from_ends = !from[k] || from[k] == '/', to_ends = !to[k] || to[k] == '/';
        if (from_ends && to_ends)
            same = k;
        if (!from[k] || !to[k])
            break;
    }
    path[0] = 0;
    for (const char *p = from + same; *p; p++)
        if (*p == '/' && p[1] && (used += 3) < size)
            memcpy(path + used - 3, "../", 4);
    const char *rest = to + same;
    rest += *rest == '/';
    size_t length = strlen(rest);
    if (used + length + 2 > size)
        return false;
    snprintf(path + used, size - used, "%s%s", rest, length ? "/" : "");
    return true;
}

/* The existing job file at `path`, relative to the folder `base`. A path with a colon in its first
 * part could be the name of a generated job. */
static const char *found_from(const char *base, const char *path, struct br_arena *arena)
{
    char folder[PATH_MAX], way[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (!resolve_folder(path, folder) || !workloads_walk(base, folder, way, sizeof way))
        return path;
    const char *here = !*way && strncmp(name, "generate:", 9) == 0 ? "./" : way;
    size_t size = strlen(here) + strlen(name) + 1;
    char *text = br_arena_alloc(arena, size);
    if (text)
        snprintf(text, size, "%s%s", here, name);
    return text;
}

/* Is the path relative to a folder, perhaps that of the workload that named it? */
static bool is_relative(const struct br_workload *workload, const char *path)
{
    const char *source = workload->source, *slash = source ? strrchr(source, '/') : NULL;
    size_t length = slash ? (size_t)(slash + 1 - source) : 0;
    if (*path != '/')
        return strncmp(path, "generate:", 9) != 0;
    return length && strcmp(path, source) != 0 && strncmp(path, source, length) == 0;
}

static enum br_status find_paths(const struct br_workload *workload, const char *target,
                                 const char **path, struct br_arena *arena, struct br_diag *diag)
{
    char base[PATH_MAX];
    bool move = resolve_folder(target ? target : "", base);
    const char *last = NULL, *moved = NULL;
    for (uint32_t d = 0; d < workload->dags; d++) {
        path[d] = workload->dag[d].path;
        if (!path[d] || !move || !is_relative(workload, path[d]))
            continue;
        if (path[d] != last) /* the dags of one record share one text */
            moved = found_from(base, path[d], arena);
        last = path[d];
        if (!moved)
            return br_fail_memory(diag);
        path[d] = moved;
    }
    for (uint32_t j = 0; j < workload->jobs; j++)
        if (!path[workload->job[j].dag])
            return br_fail(diag, BR_BAD_INPUT, "give the jobs as files, or write tasks",
                           "job '%.80s' has no file that the workload could name",
                           workload->job[j].id);
    return BR_OK;
}

static enum br_status check_jobs(const struct br_workload *workload,
                                 const char *(*fault)(const struct br_dag *dag),
                                 struct br_diag *diag)
{
    for (uint32_t j = 0; j < workload->jobs; j++) {
        const char *why = fault(workload->dag[workload->job[j].dag].dag);
        if (why)
            return br_fail(diag, BR_BAD_INPUT, "write it as xml or csv",
                           "job '%.80s' has no place in the table: %s", workload->job[j].id, why);
    }
    return BR_OK;
}

enum br_status br_emit_workload(const char *form, const struct br_workload *workload,
                                const char *target, FILE *out, struct br_diag *diag)
{
    struct br_arena arena = {0};
    uint32_t k = br_named_find(&br_workload_forms, form);
    if (k == BR_NO_ROW)
        return br_fail_unnamed(diag, &br_workload_forms, form, SIZE_MAX,
                               "there is no form '%.80s' of workloads", form);
    const struct form *found = &forms[k];
    const char **path = br_arena_array(&arena, workload->dags, sizeof *path);
    enum br_status status = path ? BR_OK : br_fail_memory(diag);
    if (!status && !found->whole)
        status = find_paths(workload, target, path, &arena, diag);
    if (!status && found->fault)
        status = check_jobs(workload, found->fault, diag);
    if (!status) {
        found->write(workload, path, out);
        status = br_write_finish(out, diag);
    }
    br_arena_finish(&arena);
    return status;
}
