/* Records of the commands that a run has finished, as ninja would have written them, so that ninja
 * goes on from there: lines of .ninja_log, and the files reported by compilers in .ninja_deps. They
 * are written command by command, so a killed run loses only its running commands.
 *
 * A command is recorded only if the build still has the exact script that was run. As in ninja from
 * 1.11 on, the recorded time is the beginning of the command: inputs changed since then make it run
 * again. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emit/ninja/deps.h"
#include "emit/ninja/record.h"
#include "emit/ninja/hash.h"
#include "parsers/ninja/dyndep.h"
#include "parsers/ninja/log.h"
#include "parsers/ninja/text.h"
#include "parsers/ninja/build.h"
#include "planner/model/dag.h"

enum { MILLION = 1000000 };

struct br_ninja_recorder {
    struct br_ninja_record record;
    struct br_ninja ninja;
    struct br_ninja_text text, command;
    struct br_ninja_deps deps;
    bool has_deps;
    bool loaded; /* contents of dyndep files */
    uint32_t version;
    FILE *log;            /* NULL: nothing is recorded yet */
    uint64_t *hash;       /* by node, its hash in the log at first; NULL: not read */
    char state[PATH_MAX]; /* the folder of log and dependencies */
    struct br_diag *diag; /* of the current call */
};

static enum br_status ninja_record_bind(struct br_ninja_recorder *to, uint32_t edge,
                                        enum br_ninja_key key, enum br_ninja_form form,
                                        struct br_ninja_text *text)
{
    text->used = 0;
    enum br_status status = br_ninja_binding(&to->ninja, edge, key, form, text, to->diag);
    return status || br_ninja_add(text, "", 0) ? status : br_fail_memory(to->diag);
}

/* The text that ninja hashes: the command, and the contents of its response file. */
static enum br_status ninja_record_hash(struct br_ninja_recorder *to, uint32_t edge, uint64_t *sum)
{
    static const char between[] = ";rspfile=";
    enum br_status status =
        ninja_record_bind(to, edge, BR_NINJA_COMMAND, BR_NINJA_VALUE, &to->command);
    if (!status)
        status = ninja_record_bind(to, edge, BR_NINJA_RSPFILE_CONTENT, BR_NINJA_VALUE, &to->text);
    if (!status && to->text.used &&
        !(br_ninja_add(&to->command, between, sizeof between - 1) &&
          br_ninja_add(&to->command, to->text.text, to->text.used)))
        status = br_fail_memory(to->diag);
    if (!status)
        *sum = (to->version < 7 ? br_ninja_murmur : br_ninja_rapid)(to->command.text,
                                                                    to->command.used);
    return status;
}

/* The file's time, with its path relative to the build's folder; -1 if it does not exist. */
static int64_t ninja_record_mtime_ns(const struct br_ninja_recorder *to, const char *path)
{
    char whole[PATH_MAX];
    struct stat state;
    bool rooted = *path == '/';
    snprintf(whole, sizeof whole, "%s%s%s", rooted ? "" : to->record.folder, rooted ? "" : "/",
             path);
    if (stat(whole, &state))
        return -1;
    return (int64_t)state.st_mtim.tv_sec * 1000 * MILLION + state.st_mtim.tv_nsec;
}

static enum br_status open_deps(struct br_ninja_recorder *to)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/.ninja_deps", to->state);
    enum br_status status = br_ninja_deps_open(&to->deps, path, to->diag);
    to->has_deps = !status;
    return status;
}

/* A fault that excludes only this command. */
static enum br_status fail_command(struct br_ninja_recorder *to, const struct br_diag *why,
                                   const char *output)
{
    return br_fail(to->diag, BR_BAD_INPUT, NULL, "'%.200s': %s", output, why->what);
}

/* The edge's depfile becomes the record of each of its outputs. *known: the files read by the
 * command are recorded, as far as wanted. */
static enum br_status add_deps(struct br_ninja_recorder *to, uint32_t edge, bool before,
                               bool *known)
{
    char path[PATH_MAX];
    struct br_diag why = {0};
    const struct br_ninja_edge *it = &to->ninja.edge[edge];
    const char *first = to->ninja.node[to->ninja.path[it->first[BR_NINJA_OUT]]].path;
    enum br_status status = ninja_record_bind(to, edge, BR_NINJA_DEPS, BR_NINJA_VALUE, &to->text);
    *known = true;
    if (status || strcmp(to->text.text, "gcc") != 0)
        return status; /* without deps = gcc, the depfile stays where ninja reads it */
    status = ninja_record_bind(to, edge, BR_NINJA_DEPFILE, BR_NINJA_PLAIN, &to->text);
    if (!status && !to->has_deps)
        status = open_deps(to);
    if (status)
        return status;
    bool rooted = *to->text.text == '/', there;
    int length = snprintf(path, sizeof path, "%s%s%s", rooted ? "" : to->record.folder,
                          rooted ? "" : "/", to->text.text);
    if (!*to->text.text || length >= (int)sizeof path) {
        br_fail(&why, BR_BAD_INPUT, NULL, "this is not the name of a depfile: '%.200s'",
                to->text.text);
        status = BR_BAD_INPUT;
    } else {
        status = br_ninja_deps_read(&to->deps, path, &there, &why);
    }
    if (status)
        return status == BR_BAD_INPUT ? fail_command(to, &why, first) : br_fail_memory(to->diag);
    /* A dry run of ninja removes depfiles, too. If an earlier run has finished a command without
     * recording it, the files that it read are then unknown. */
    *known = there || !before;
    if (!*known)
        return BR_OK;
    for (uint32_t k = it->first[BR_NINJA_OUT]; k < it->first[BR_NINJA_IN] && !status; k++) {
        const char *output = to->ninja.node[to->ninja.path[k]].path;
        status = br_ninja_deps_add(&to->deps, output, ninja_record_mtime_ns(to, output), to->diag);
    }
    return status;
}

static enum br_status ninja_record_is_set(struct br_ninja_recorder *to, uint32_t edge,
                                          enum br_ninja_key key, bool *set)
{
    enum br_status status = ninja_record_bind(to, edge, key, BR_NINJA_VALUE, &to->text);
    *set = !status && *to->text.text;
    return status;
}

/* Does the log already say that this very command made the outputs of the edge? */
static bool is_recorded(const struct br_ninja_recorder *to, uint32_t edge, uint64_t sum)
{
    const struct br_ninja_edge *it = &to->ninja.edge[edge];
    for (uint32_t k = it->first[BR_NINJA_OUT]; k < it->first[BR_NINJA_IN]; k++)
        if (!to->hash || to->hash[to->ninja.path[k]] != sum)
            return false;
    return true;
}

/* The times of the oldest and the newest output; false if one does not exist. */
static bool ninja_record_find_times(const struct br_ninja_recorder *to, uint32_t edge,
                                    int64_t *oldest_ns, int64_t *newest_ns)
{
    const struct br_ninja_edge *it = &to->ninja.edge[edge];
    *oldest_ns = INT64_MAX;
    *newest_ns = -1;
    for (uint32_t k = it->first[BR_NINJA_OUT]; k < it->first[BR_NINJA_IN]; k++) {
        int64_t ns = ninja_record_mtime_ns(to, to->ninja.node[to->ninja.path[k]].path);
        if (ns < 0)
            return false;
        *oldest_ns = ns < *oldest_ns ? ns : *oldest_ns;
        *newest_ns = ns > *newest_ns ? ns : *newest_ns;
    }
    return true;
}

static enum br_status add_lines(struct br_ninja_recorder *to, uint32_t edge,
                                const struct br_ninja_ended *ended)
{
    const struct br_ninja_edge *it = &to->ninja.edge[edge];
    const bool before = ended->start_ns < 0;
    int64_t oldest_ns, newest_ns;
    uint64_t sum;
    bool known, restat, generator;
    if (!ninja_record_find_times(to, edge, &oldest_ns, &newest_ns))
        return BR_OK; /* ninja would build it again in any case */
    enum br_status status = ninja_record_hash(to, edge, &sum);
    if (!status && before && is_recorded(to, edge, sum))
        return BR_OK;
    if (!status)
        status = add_deps(to, edge, before, &known);
    if (!status && !known)
        return BR_OK;
    if (!status)
        status = ninja_record_is_set(to, edge, BR_NINJA_RESTAT, &restat);
    if (!status)
        status = ninja_record_is_set(to, edge, BR_NINJA_GENERATOR, &generator);
    if (status)
        return status;
    /* Ninja keeps the time of a generator's outputs, since generators write their own inputs, and
     * of outputs that "restat" has found changed. */
    int64_t since_ns = ended->began_ns + ended->start_ns;
    bool changed = restat ? oldest_ns >= since_ns : generator;
    if (before || (changed && newest_ns > since_ns))
        since_ns = newest_ns;
    for (uint32_t k = it->first[BR_NINJA_OUT]; k < it->first[BR_NINJA_IN]; k++)
        fprintf(to->log, "%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%s\t%" PRIx64 "\n",
                before ? 0 : ended->start_ns / MILLION, before ? 0 : ended->end_ns / MILLION,
                since_ns, to->ninja.node[to->ninja.path[k]].path, sum);
    return BR_OK;
}

/* Is the statement's script still the one that was run? */
static enum br_status is_same(struct br_ninja_recorder *to, uint32_t edge, const char *script,
                              bool *same)
{
    to->text.used = 0;
    enum br_status status =
        br_ninja_script(&to->ninja, edge, to->record.folder, &to->text, to->diag);
    *same = !status && strcmp(to->text.text, script) == 0;
    return status == BR_SYSTEM ? status : BR_OK;
}

/* ---- The log ---- */

static enum br_status fail_log(const struct br_ninja_recorder *to)
{
    return br_fail(to->diag, BR_SYSTEM, NULL, "the log of ninja cannot be written: %s",
                   strerror(errno));
}

/* The folder of the log, which ninja creates at its start. */
static void make_state(char *path)
{
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(path, 0777);
        *at = '/';
    }
    mkdir(path, 0777); /* a fault in it shows when the log is opened */
}

/* Continues a log of a known version; if there is none, begins one of the version that the caller
 * names. */
static enum br_status open_log(struct br_ninja_recorder *to)
{
    char path[PATH_MAX + 16], line[32] = "";
    snprintf(path, sizeof path, "%s/.ninja_log", to->state);
    br_diag_file(to->diag, path);
    make_state(to->state);
    FILE *old = fopen(path, "re");
    int last = '\n', found = 0;
    if (!old && errno != ENOENT)
        return fail_log(to);
    if (old) {
        if (fgets(line, sizeof line, old) && sscanf(line, "# ninja log v%d", &found) != 1)
            found = -1;
        if (fseek(old, -1, SEEK_END) == 0)
            last = fgetc(old);
        bool failed = ferror(old);
        fclose(old);
        if (failed) /* a log that may not be empty gets no second first line */
            return fail_log(to);
    }
    if (found && (found < 5 || found > 7))
        return br_fail(to->diag, BR_BAD_INPUT, "move it away",
                       "this is no ninja log of versions 5 to 7");
    to->version = found ? (uint32_t)found : to->record.version;
    to->log = fopen(path, "ae");
    if (!to->log)
        return fail_log(to);
    if (!found)
        fprintf(to->log, "# ninja log v%" PRIu32 "\n", to->version);
    else if (last != '\n') /* a truncated line */
        putc('\n', to->log);
    return BR_OK;
}

/* The hashes in the log before this run adds to it. */
static enum br_status read_hashes(struct br_ninja_recorder *to)
{
    char path[PATH_MAX + 16];
    int64_t *duration_ns = malloc(((size_t)to->ninja.nodes + 1) * sizeof *duration_ns);
    to->hash = calloc((size_t)to->ninja.nodes + 1, sizeof *to->hash);
    snprintf(path, sizeof path, "%s/.ninja_log", to->state);
    enum br_status status =
        duration_ns && to->hash
            ? br_ninja_read_log(&to->ninja, path, duration_ns, to->hash, to->diag)
            : br_fail_memory(to->diag);
    free(duration_ns);
    return status;
}

/* ---- The recorder ---- */

/* Reads the dyndep file of a command that has run, unless its contents are known already. */
static enum br_status load_dyndep(struct br_ninja_recorder *to, uint32_t edge, struct br_diag *diag)
{
    const struct br_ninja_ready ready = {0};
    uint32_t open;
    const size_t before = (size_t)to->ninja.nodes + 1;
    if (to->loaded && to->ninja.edge[edge].dyndep != BR_NINJA_DYNDEP_OPEN)
        return BR_OK;
    enum br_status status =
        br_ninja_dyndep_load(&to->ninja, to->record.folder, &ready, &open, diag);
    to->loaded = true;
    const size_t now = (size_t)to->ninja.nodes + 1;
    uint64_t *hash = to->hash && now > before ? realloc(to->hash, now * sizeof *hash) : NULL;
    if (to->hash && now > before && !hash)
        return br_fail_memory(diag);
    if (hash) {
        memset(hash + before, 0, (now - before) * sizeof *hash);
        to->hash = hash;
    }
    return status;
}

enum br_status br_ninja_recorder_create(const struct br_ninja_record *record,
                                        struct br_ninja_recorder **result, struct br_diag *diag)
{
    struct br_ninja_recorder *to = calloc(1, sizeof *to);
    *result = NULL;
    if (!to)
        return br_fail_memory(diag);
    to->record = *record;
    enum br_status status = br_ninja_read(&to->ninja, record->folder,
                                          record->file ? record->file : "build.ninja", diag);
    if (status) {
        free(to);
        return status;
    }
    br_ninja_state_folder(&to->ninja, record->folder, to->state, sizeof to->state);
    *result = to;
    return BR_OK;
}

enum br_status br_ninja_recorder_add(struct br_ninja_recorder *to,
                                     const struct br_ninja_ended *ended, struct br_diag *diag)
{
    const struct br_dag *dag = to->record.dag;
    const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, ended->task)];
    const uint32_t node = stage->tasks == 1 && stage->command
                              ? br_ninja_find_node(&to->ninja, stage->id)
                              : UINT32_MAX;
    const uint32_t edge = node == UINT32_MAX ? UINT32_MAX : to->ninja.node[node].producer;
    bool same = false;
    to->diag = diag;
    enum br_status status = edge == UINT32_MAX ? BR_OK : load_dyndep(to, edge, diag);
    if (!status)
        status = edge == UINT32_MAX ? BR_OK : is_same(to, edge, stage->command, &same);
    if (status || !same)
        return status;
    if (ended->start_ns < 0 && !to->hash)
        status = read_hashes(to);
    if (!status && !to->log)
        status = open_log(to);
    if (!status)
        status = add_lines(to, edge, ended);
    /* The files read by a compiler are recorded before the line that says that it has run. */
    if (to->has_deps && fflush(to->deps.file) && !status)
        status = fail_log(to);
    if (to->log && fflush(to->log) && !status)
        status = fail_log(to);
    if (!status)
        br_diag_file(diag, NULL);
    return status;
}

enum br_status br_ninja_recorder_destroy(struct br_ninja_recorder *to, struct br_diag *diag)
{
    if (!to)
        return BR_OK;
    to->diag = diag;
    enum br_status status = BR_OK;
    if (to->has_deps)
        status = br_ninja_deps_close(&to->deps, diag);
    bool failed = to->log && ferror(to->log);
    failed |= to->log && fclose(to->log);
    if (failed && !status)
        status = fail_log(to);
    free(to->text.text);
    free(to->command.text);
    free(to->hash);
    br_ninja_finish(&to->ninja);
    free(to);
    return status;
}
