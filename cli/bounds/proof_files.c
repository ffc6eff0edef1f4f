/* bound --proof: a statement and its proof, as two files. */
#include "cli/bounds/proof_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output/output.h"
#include "cli/terminal/say.h"
#include "emit/proofs/veripb.h"

static const struct br_named proof_rows[] = {
    {"veripb", "pseudo-Boolean constraints and a proof for VeriPB 3"},
    {"drcp", "a FlatZinc model and nogoods for Pumpkin's proof processor"},
};
/* By form: how the names of the two files end. */
static const char *const proof_endings[][2] = {
    [BR_FORM_VERIPB] = {".opb", ".pbp"}, [BR_FORM_DRCP] = {".fzn", ".drcp"}};
const struct br_names cli_proof_formats = {BR_NAMES(proof_rows)};

static char *proof_path(const char *name, const char *ending)
{
    const size_t size = strlen(name) + strlen(ending) + 1;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s", name, ending);
    return path;
}

static enum br_proof_form proof_form(const struct cli_settings *settings)
{
    return strcmp(settings->bound.proof, "drcp") == 0 ? BR_FORM_DRCP : BR_FORM_VERIPB;
}

static enum br_status proof_write(enum br_proof_form form, const struct br_input *input,
                                  const struct br_bound_result *result, const char *opb_path,
                                  const char *pbp_path, struct br_proof_size *size,
                                  struct br_diag *diag)
{
    struct cli_output opb, pbp;
    enum br_status status = cli_output_open(&opb, opb_path, diag);
    if (status)
        return status;
    status = cli_output_open(&pbp, pbp_path, diag);
    if (!status) {
        status = br_emit_proof(form, result->certificate, input->dag, input->cluster, opb.file,
                               pbp.file, size, diag);
        status = cli_output_close(&pbp, status, diag);
    }
    return cli_output_close(&opb, status, diag);
}

enum br_status cli_write_proof(const struct cli_settings *settings, const struct br_input *input,
                               const struct br_bound_result *result, struct br_proof_size *size,
                               struct br_diag *diag)
{
    const char *name = settings->output.path;
    if (!result->certificate)
        return br_fail(diag, BR_NO, NULL, "the bound comes without a proof");
    const enum br_proof_form form = proof_form(settings);
    char *opb = proof_path(name, proof_endings[form][0]);
    char *pbp = proof_path(name, proof_endings[form][1]);
    enum br_status status = opb && pbp ? BR_OK : br_fail_memory(diag);
    if (!status)
        status = proof_write(form, input, result, opb, pbp, size, diag);
    free(opb);
    free(pbp);
    return status;
}

enum br_status cli_tell_proof(const struct cli_settings *settings,
                              const struct br_bound_result *result, const struct cli_proof *proof,
                              struct br_diag *diag)
{
    const struct br_proof_size *size = &proof->size;
    if (proof->status) {
        *diag = proof->diag;
        return proof->status;
    }
    if (settings->output.quiet || settings->bound.json)
        return BR_OK;
    fputs("proof        ", stdout);
    cli_print_text(stdout, settings->output.path);
    const enum br_proof_form form = proof_form(settings);
    printf("%s: %" PRIu64 " variables, %" PRIu64 " constraints, %" PRIu64 " %s",
           proof_endings[form][1], size->variables, size->rows, size->lines,
           form == BR_FORM_DRCP ? "nogoods" : "lines");
    if (size->proven_ns < result->lower_bound_ns) {
        char text[CLI_SECONDS_TEXT];
        printf(", of %s s", cli_seconds(size->proven_ns, text));
    }
    putchar('\n');
    return BR_OK;
}
