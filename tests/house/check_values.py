#!/usr/bin/env python3
"""Every public function of the C library, called with what it is not made for, answers as diag.h says.

The calls are made from the headers, so a new function is tried by itself; a parameter of a type or a name that is
not known here fails, until VALUES says what a good one is. Every call is a process of its own.

check_values.py INCLUDE_DIR LIBRARY,LIBRARY MODEL CC...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# What a good argument is: by function and parameter, else by parameter, else by type.
VALUES = {
    'br_dag_create name': '"j"', 'br_cluster_create name': '"c"', 'id': '"new"', 'name': '"new"', 'unit': '"GiB"',
    'br_dag_add_resource name': '"gpu"', 'resource': '"cpu"', 'br_dag_add_demand resource': '"disk"',
    'br_cluster_add_capacity resource': '"disk"', 'br_cluster_set_fungible resource': '"net"', 'amount': '"1"',
    'br_runtime_overbook resource': '"net"', 'percent': '150', 'weight': '1', 'free': '"1"', 'command': '"true"',
    'method': '"argument"', 'tasks': '1', 'duration_ns': '1000', 'bytes': '1', 'count': '1', 'up': '1', 'down': '1',
    'stage': '0', 'index': '0', 'parent': '0', 'child': '1', 'cls': '0', 'machine': '0', 'task': '0', 'k': '0', 'i': '0', 'enough_ns': '1',
    'job': '0', 'group': '0', 'lasted_ns': '1000', 'limit': '0', 'bound_ns': '0', 'lower_bound_ns': '0', 'now_ns': '0', 'room': '4',
    'executors': '4', 'again': 'true', 'br_store_open path': '"store.db"', 'br_model_load path': 'model_path',
    'br_bound_program path': '"none"', 'br_model_load_bytes bytes': 'model_bytes', 'br_model_load_bytes size': 'model_size',
    'br_certificate_read text': 'proof_text()', 'br_certificate_read size': 'strlen(proof_text())', 'text': 'text', 'size': 'sizeof text',
    'ids': '""', 'flags': '0', 'release_ns': '0', 'deadline_ns': '5000', 'lag_ns': '0', 'from_ns': '0', 'to_ns': '1000',
    'alternative': '0', 'speed': '"0.5"', 'classes': '"m"', 'br_dag_add_alternative_demand dag': 'with_ways()',
    'br_dag_add_consumed dag': 'with_ways()', 'br_dag_set_classes dag': 'with_ways()', 'br_dag_set_alternative_duration dag': 'with_ways()',
    'br_dag_set_output_free id': '"made"', 'br_dag_set_output_free dag': 'with_output()', 'br_cluster_add_shared resource': '"licence"',
    'const uint32_t *': 'order()', 'fault': 'NULL', 'context': 'NULL', 'br_learned_decide group': '(struct br_learned_group){1, BR_ANY, 1}',
    'progress': '(struct br_learned_progress){0}', 'br_bound_result_finish result': 'empty_result()',
    'br_plan_prove certificate': 'proof()', 'br_certificate_destroy certificate': 'proof()',
    'enum br_edge_type': 'BR_BARRIER', 'overlap': '1', 'enum br_readiness': 'BR_READY_BY_EDGES',
    'struct br_dag *': 'open_dag()', 'const struct br_dag *': 'dag()', 'br_dag_reset dag': 'dag()',
    'br_dag_destroy dag': 'dag()', 'struct br_cluster *': 'cluster()', 'const struct br_cluster *': 'cluster()',
    'struct br_plan *': 'plan()', 'const struct br_plan *': 'plan()', 'const struct br_certificate *': 'proof()',
    'struct br_planner *': 'br_planner_create()', 'struct br_runtime *': 'runtime()', 'const struct br_runtime *': 'runtime()',
    'br_runtime_ready runtime': 'by_event(0, 0)', 'br_runtime_withdrawn runtime': 'by_event(1, 0)',
    'br_runtime_failed runtime': 'by_event(1, 1)', 'struct br_store *': 'store()', 'struct br_model *': 'model()', 'const struct br_model *': 'model()',
    'struct br_learned *': 'learned()', 'struct br_stop *': '&stop', 'const struct br_stop *': '&stop',
    'struct br_diag *': '&diag', 'const struct br_diag *': '&diag', 'const struct br_plan_options *': 'NULL',
    'const struct br_bound_options *': 'NULL', 'const struct br_runtime_options *': 'NULL',
}
# Of these an array of 16 is the place for results.
PLACES = {'struct br_freed *', 'uint32_t *', 'int64_t *', 'uint64_t *', 'const char **', 'struct br_plan **', 'const struct br_plan **',
          'struct br_certificate **', 'struct br_runtime **', 'struct br_store **', 'struct br_model **',
          'struct br_learned **', 'struct br_bound_result *', 'struct br_task_slack *', 'struct br_store_hit *',
          'struct br_decision *', 'const struct br_learned_decision **'}
# NULL says something there, by the header.
MAY_BE_NULL = {
    'br_dag_create name', 'br_cluster_create name', 'br_dag_reset name', 'br_dag_add_resource unit', 'br_dag_add_stage stage',
    'br_dag_set_command command', 'br_dag_set_output_free command', 'br_cluster_add_class cls', 'br_runtime_submit plan', 'br_bound method',
    'br_planner_bound method', 'br_planner_bound_until method', 'br_plan_verify fault', 'br_plan_verify context', 'br_store_plan hit',
    'br_dag_complete_order rest', 'br_dag_stage_tasks first', 'br_dag_stage_tasks count', 'br_bound_program path', 'br_dag_add_alternative alternative',
}
# Numbers that may be anything.
ANY_NUMBER = {'br_dag_set_edge_overlap overlap', 'br_planner_bound_until enough_ns', 'br_plan_verify limit', 'br_plan_raise_bound lower_bound_ns', 'br_certificate_verify bound_ns',
              'br_cluster_add_unavailable to_ns', 'br_cluster_add_change to_ns', 'br_runtime_decide now_ns', 'br_runtime_decide room', 'br_runtime_lasted lasted_ns', 'br_certificate_read size', 'br_model_load_bytes size',
              'br_dag_task_id size', 'br_cluster_machine_name size', 'br_diag_format size'}
# The sum over all tasks is what has a limit.
SUMMED = {'br_dag_add_alternative duration_ns', 'br_dag_set_alternative_duration duration_ns', 'br_dag_add_stage duration_ns', 'br_dag_set_duration duration_ns', 'br_dag_set_release release_ns',
          'br_dag_set_deadline deadline_ns', 'br_dag_set_edge_lag lag_ns'}
NONE_THERE = {'br_dag_task_stage': 'UINT32_MAX', 'br_runtime_next_ns': 'INT64_MAX'}  # else zeros
TOO_LARGE = {'uint32_t': ['1000000000', 'UINT32_MAX - 1'], 'int64_t': ['-1', 'INT64_MIN', 'INT64_MAX'], 'double': ['-1', 'NAN', 'INFINITY']}
OPTIONS = {
    'struct br_plan_options': 'br_plan_options_default()', 'struct br_bound_options': 'br_bound_options_default()',
    'struct br_runtime_options': 'br_runtime_options_default()'}
WRONG_TEXT = {'const char *method': '"none"', 'const char *policy': '"none"'}

BEGIN = r'''
#include <bigrocks/bigrocks.h>
#include <bigrocks/learned.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *model_path;
static char model_bytes[1 << 24], text[4096];
static size_t model_size;
static struct br_diag diag;
static struct br_stop stop;
static const char *name;
static int faults, calls;

#define GOOD(call) do { if (call) { br_diag_format(&diag, text, sizeof text); printf("%s: %s\n", #call, text); exit(9); } } while (0)

static struct br_dag *open_dag(void)
{
    struct br_dag *dag = br_dag_create("job");
    GOOD(br_dag_add_stage(dag, "a", 2, 1000, NULL, &diag));
    GOOD(br_dag_add_stage(dag, "b", 1, 2000, NULL, &diag));
    GOOD(br_dag_add_demand(dag, 0, "cpu", "1", &diag));
    GOOD(br_dag_add_edge(dag, 0, 1, BR_BARRIER, &diag));
    return dag;
}

static struct br_dag *with_output(void)
{
    struct br_dag *dag = open_dag();
    GOOD(br_dag_add_output(dag, 0, "made", "cpu", "1", 0, &diag));
    return dag;
}

static struct br_dag *with_ways(void)
{
    struct br_dag *dag = open_dag();
    GOOD(br_dag_add_alternative(dag, 0, "fast", 1000, NULL, &diag));
    return dag;
}

static struct br_dag *dag(void)
{
    struct br_dag *dag = open_dag();
    GOOD(br_dag_finish(dag, &diag));
    return dag;
}

static const uint32_t *order(void)
{
    static const uint32_t task[] = {0, 1, 2};
    return task;
}

static struct br_cluster *cluster(void)
{
    struct br_cluster *cluster = br_cluster_create("c");
    GOOD(br_cluster_add_class(cluster, "m", 2, NULL, &diag));
    GOOD(br_cluster_add_capacity(cluster, 0, "cpu", "1", &diag));
    GOOD(br_cluster_add_capacity(cluster, 0, "net", "1", &diag));
    GOOD(br_cluster_set_fungible(cluster, "net", &diag));
    GOOD(br_cluster_set_network(cluster, 0, 10, 10, &diag));
    return cluster;
}

static struct br_plan *plan(void)
{
    struct br_plan *plan;
    GOOD(br_plan_make(dag(), cluster(), NULL, &plan, &diag));
    return plan;
}

static struct br_certificate *proof(void)
{
    struct br_bound_result result;
    GOOD(br_bound_best(dag(), cluster(), NULL, &result, &diag));
    return result.certificate;
}

static char *proof_text(void)
{
    return br_certificate_text(proof(), dag());
}

static struct br_bound_result *empty_result(void)
{
    static struct br_bound_result result;
    return &result;
}

static struct br_runtime *runtime(void)
{
    struct br_runtime *runtime;
    uint32_t job;
    GOOD(br_runtime_create(cluster(), NULL, &runtime, &diag));
    GOOD(br_runtime_submit(runtime, dag(), NULL, 0, BR_READY_BY_EDGES, &job, &diag));
    return runtime;
}

static struct br_runtime *by_event(int ready, int started)
{
    struct br_runtime *runtime;
    uint32_t job;
    GOOD(br_runtime_create(cluster(), NULL, &runtime, &diag));
    GOOD(br_runtime_submit(runtime, dag(), NULL, 0, BR_READY_BY_EVENT, &job, &diag));
    if (ready)
        GOOD(br_runtime_ready(runtime, 0, 0, &diag));
    if (started)
        GOOD(br_runtime_started(runtime, 0, 0, 0, &diag));
    return runtime;
}

static struct br_store *store(void)
{
    struct br_store *store;
    GOOD(br_store_open("store.db", &store, &diag));
    return store;
}

static struct br_model *model(void)
{
    struct br_model *model;
    GOOD(br_model_load(model_path, &model, &diag));
    return model;
}

static struct br_learned *learned(void)
{
    struct br_learned *learned;
    uint32_t job;
    GOOD(br_learned_create(model(), 4, &learned, &diag));
    GOOD(br_learned_submit(learned, dag(), &job, &diag));
    return learned;
}

static int is_zero(const void *answer, size_t size)
{
    for (size_t k = 0; k < size; k++)
        if (((const char *)answer)[k])
            return 0;
    return 1;
}

/* Refused, with words; or taken. */
static void status(int found, int refused)
{
    if (!refused ? found != BR_OK : (found != BR_USAGE && found != BR_BAD_INPUT) || diag.status != found || !diag.what[0]) {
        printf("%s: status %d, \"%s\"\n", name, found, diag.what);
        fflush(stdout);
        _exit(1);
    }
}

static void end(pid_t child)
{
    int how;
    waitpid(child, &how, 0);
    calls++;
    if (WIFSIGNALED(how))
        printf("%s: dies of signal %d\n", name, WTERMSIG(how));
    faults += how != 0;
}

#define TRY(what, ...) do { name = what; fflush(stdout); pid_t child = fork(); \
    if (!child) { alarm(20); memset(&diag, 0, sizeof diag); __VA_ARGS__; fflush(stdout); _exit(0); } end(child); } while (0)
#define ZERO(type, call) do { type answer = call; if (!is_zero(&answer, sizeof answer)) { printf("%s: answers something\n", name); \
    fflush(stdout); _exit(1); } } while (0)
#define EQUAL(value, call) do { if ((call) != (value)) { printf("%s: answers something else\n", name); fflush(stdout); _exit(1); } } while (0)

int main(int argc, char **argv)
{
    (void)argc;
    model_path = argv[1];
    FILE *file = fopen(model_path, "rb");
    model_size = file ? fread(model_bytes, 1, sizeof model_bytes, file) : 0;
    if (chdir(argv[2]) || !model_size)
        return 9;
'''
END = '''    printf("%d calls, %d faults\\n", calls, faults);
    return faults != 0;
}
'''


def bare(text):
    return re.sub(r'^\s*#.*$', '', re.sub(r'/\*.*?\*/', '', text, flags=re.S), flags=re.M)


def parameters(text):
    """(type, name) of each, without those that are callbacks."""
    for part in re.split(r',(?![^(]*\))', ' '.join(text.split())):
        if part == 'void':
            continue
        if '(*' in part:
            yield 'callback', re.search(r'\(\*(\w+)\)', part)[1]
            continue
        kind, name = re.fullmatch(r'(.*?)(\w+)', part).groups()
        yield kind.strip(), name


def functions(text):
    for found in re.finditer(r'BR_API\b([^;(]*?)\b(br_\w+)\s*\(([^;]*)\);', text):
        yield found[1].strip(), found[2], list(parameters(found[3]))


def fields(text, struct):
    """(declaration, name) of the struct's members."""
    body = re.search(re.escape(struct) + r' \{(.*?)\n\};', text, re.S)[1]
    for line in body.split(';'):
        found = re.fullmatch(r'\s*([\w\s]+?[\s*]+)(\w+)\s*', line)
        if found:
            yield found[1].strip() + ('' if found[1].endswith('*') else ' '), found[2]


def value(function, kind, name):
    for key in ('%s %s' % (function, name), name, kind):
        if key in VALUES and not (key == name and '*' in kind and kind != 'const char *' and 'text' not in name):
            return VALUES[key]
    if kind in PLACES:
        return '(%s[16]){0}' % (kind[:-1].strip() if not kind.endswith('**') else kind[:-1])
    raise SystemExit('%s: what is a good %s%s? Say so in VALUES' % (function, kind, name))


def call(function, parameters, instead):
    return '%s(%s)' % (function, ', '.join(
        instead[name] if name in instead else '&diag' if kind == 'struct br_diag *' else value(function, kind, name)
        for kind, name in parameters))


def trial(said, result, function, text, refused=True):
    if result == 'enum br_status':
        body = 'status(%s, %d)' % (text, refused)
    elif result == 'void':
        body = text
    elif not refused:
        body = '(void)' + text
    elif function in NONE_THERE:
        body = 'EQUAL(%s, %s)' % (NONE_THERE[function], text)
    else:
        body = 'ZERO(%s, %s)' % (result, text)
    return '    TRY("%s", %s);\n' % (said.replace('"', "'"), body)


def wrong_options(text, struct):
    """(said, statement that spoils `o`) for each member that has an enum, a limit or a name."""
    for kind, name in fields(text, struct):
        kind = kind.strip()
        wrong = (['(%s)42' % kind, '(%s)-1' % kind] if kind.startswith('enum') else
                 ['-1', 'INT64_MIN'] if kind == 'int64_t' else
                 ['-1', 'NAN'] if kind == 'double' else
                 [WRONG_TEXT[kind + name]] if kind + name in WRONG_TEXT else [])
        for one in wrong:
            yield 'o.%s = %s' % (name, one)


def trials(text):
    unfinished = 'open_dag()'
    for result, function, given in functions(text):
        asks = [(kind, name) for kind, name in given if kind != 'struct br_diag *']
        yield trial(function + ' as it is meant', result, function, call(function, given, {}), False)
        for kind, name in asks:
            key = '%s %s' % (function, name)
            if '*' in kind and kind.removeprefix('const ').removesuffix(' *') not in OPTIONS:
                fine = key in MAY_BE_NULL or (kind == 'char *')
                yield trial('%s(%s = NULL)' % (function, name), result if not fine or result == 'enum br_status' else 'void',
                            function, ('(void)' if fine and result != 'enum br_status' and result != 'void' else '') +
                            call(function, given, {name: 'NULL'}), not fine)
            if kind == 'const struct br_dag *' and result == 'enum br_status' and function != 'br_certificate_read':
                yield trial('%s(%s not finished)' % (function, name), result, function, call(function, given, {name: unfinished}))
            for one in TOO_LARGE.get(kind, []) if key not in ANY_NUMBER else []:
                if key in SUMMED and one == 'INT64_MAX':
                    continue
                yield trial('%s(%s = %s)' % (function, name, one), result, function, call(function, given, {name: one}))
            if kind.startswith('enum '):
                for one in '42', '-1':
                    yield trial('%s(%s = %s)' % (function, name, one), result, function,
                                call(function, given, {name: '(%s)%s' % (kind, one)}))
            options = kind.removeprefix('const ').removesuffix(' *')
            for spoil in wrong_options(text, options) if options in OPTIONS else []:
                if (function, spoil.split()[0]) in UNUSED:
                    continue
                yield '    TRY("%s(%s)", %s o = %s; %s; status(%s, 1));\n' % (
                    function, spoil.replace('"', "'"), options, OPTIONS[options], spoil, call(function, given, {name: '&o'}))


# Of the options these count only where a plan is made.
UNUSED = {(function, 'o.' + member) for function in ('br_store_put', 'br_store_get', 'br_store_plan', 'br_plan_network')
          for member in ('troublesome_limit', 'tolerance', 'method', 'frag_score', 'bound', 'time_limit_ns', 'source_limit_ns',
                         'objective')
          if function == 'br_plan_network' or member == 'method'}


def main():
    include, libraries, model, *compiler = sys.argv[1:]
    libraries = libraries.split(',')
    text = '\n'.join(bare(header.read_text()) for header in sorted(pathlib.Path(include).glob('bigrocks/*.h')))
    rows = list(trials(text))
    declared = set(re.findall(r'\bBR_API\b[^;(]*?\b(br_\w+)\s*\(', text))
    tried = {function for _, function, _ in functions(text)}
    assert declared == tried and len(tried) > 100, declared ^ tried
    with tempfile.TemporaryDirectory(prefix='bigrocks-values-') as folder:
        source, program = pathlib.Path(folder, 'values.c'), pathlib.Path(folder, 'values')
        source.write_text(BEGIN + ''.join(rows) + END)
        subprocess.run([*compiler, '-std=gnu11', '-O1', '-w', '-I', include, str(source), *libraries, '-lm', '-o', str(program),
                        *('-Wl,-rpath,' + str(pathlib.Path(each).resolve().parent) for each in libraries)], check=True)
        done = subprocess.run([str(program), str(pathlib.Path(model).resolve()), folder], text=True, capture_output=True)
    print(done.stdout + done.stderr)
    return done.returncode != 0


if __name__ == '__main__':
    sys.exit(main())
