/* A workflow for Argo on Kubernetes: a template per stage, a sequence of its tasks. */
#include "emit/engines/engine.h"
#include "emit/write/outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "s2-map": lower-case letters, digits and dashes, with no dash at either end. */
static void write_name(FILE *out, const struct br_dag *dag, uint32_t stage)
{
    fprintf(out, "s%" PRIu32 "-", stage + 1);
    const char *id = dag->stage[stage].id;
    for (int k = 0; *id && k < 30; id++, k++)
        if (*id >= 'A' && *id <= 'Z')
            putc(*id - 'A' + 'a', out);
        else
            putc((*id >= 'a' && *id <= 'z') || (*id >= '0' && *id <= '9') ? *id : '-', out);
    putc('x', out);
}

static void write_step(FILE *out, const struct br_engine *engine, uint32_t s)
{
    const struct br_dag *dag = engine->dag;
    fputs("      - name: ", out);
    write_name(out, dag, s);
    fputs("\n        template: ", out);
    write_name(out, dag, s);
    for (uint32_t k = engine->parents.first[s]; k < engine->parents.first[s + 1]; k++) {
        fputs(k == engine->parents.first[s] ? "\n        dependencies: [" : ", ", out);
        write_name(out, dag, dag->edge[engine->parents.edge[k]].parent);
    }
    if (engine->parents.first[s] < engine->parents.first[s + 1])
        putc(']', out);
    if (dag->stage[s].tasks > 1)
        fprintf(out,
                "\n        withSequence: {start: \"0\", count: \"%" PRIu32 "\"}"
                "\n        arguments: {parameters: [{name: index, value: \"{{item}}\"}]}\n",
                dag->stage[s].tasks);
    else
        fputs("\n        arguments: {parameters: [{name: index, value: \"0\"}]}\n", out);
}

/* Kubernetes replaces $(NAME) in arguments, and takes $$ for a dollar. */
static void argo_write_line(FILE *out, const char *line)
{
    for (const char *dollar; (dollar = strchr(line, '$')); line = dollar + 1) {
        br_write_part(out, BR_QUOTE_JSON, line, (size_t)(dollar - line));
        fputs("$$", out);
    }
    br_write_text(out, BR_QUOTE_JSON, line);
}

static enum br_status write_template(FILE *out, const struct br_engine *engine, uint32_t s,
                                     struct br_diag *diag)
{
    char *line;
    enum br_status status = br_engine_line(engine, s, "{{inputs.parameters.index}}", &line, diag);
    if (status)
        return status;
    fputs("  - name: ", out);
    write_name(out, engine->dag, s);
    fputs("\n    inputs: {parameters: [{name: index}]}\n    container:\n"
          "      image: \"{{workflow.parameters.image}}\"\n      command: [/bin/sh, -c]\n"
          "      args: [\"",
          out);
    argo_write_line(out, line);
    fprintf(out, "\"]\n      resources:\n        requests: {cpu: \"%" PRIu32 "\"",
            engine->need[s].cpus);
    if (engine->need[s].mem_bytes > 0)
        fprintf(out, ", memory: \"%" PRId64 "\"", engine->need[s].mem_bytes);
    fputs("}\n", out);
    free(line);
    return BR_OK;
}

enum br_status br_emit_argo(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    static const char *const usage[] = {"Run it by: argo submit FILE -p image=IMAGE", NULL};
    static const char *const left_out[] = {
        "the plan's order: Argo starts all that is ready, and Kubernetes places it",
        "machines and start times", "one-to-one edges: the whole stage waits, as for a barrier",
        NULL};
    struct br_engine engine;
    enum br_status status = br_engine_init_commands(&engine, input, diag);
    if (status)
        return status;
    br_engine_header(out, "#", &engine, usage, BR_KEEPS_CPU | BR_KEEPS_MEMORY, left_out);
    fprintf(out,
            "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata:\n"
            "  generateName: bigrocks-\nspec:\n  entrypoint: plan\n"
            "  # As many tasks as the plan has at once.\n  parallelism: %" PRIu32 "\n"
            "  arguments: {parameters: [{name: image, value: \"debian:stable-slim\"}]}\n"
            "  templates:\n  - name: plan\n    dag:\n      failFast: false\n      tasks:\n",
            engine.most_at_once);
    for (uint32_t k = 0; k < input->dag->stages; k++)
        write_step(out, &engine, input->dag->topological[k]);
    for (uint32_t k = 0; k < input->dag->stages && !status; k++)
        status = write_template(out, &engine, input->dag->topological[k], diag);
    br_engine_finish(&engine);
    return status;
}
