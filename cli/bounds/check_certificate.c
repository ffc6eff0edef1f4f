/* bigrocks check --certificate: do the proofs hold that files carry for their lower bounds?
 *
 * Plans and the bounds of `bigrocks bound --json` carry their job and cluster, so no other input is
 * needed. Of the file only the statement "this is the job" is trusted.
 */
#include "cli/bounds/check_certificate.h"

#include <string.h>

#include "cli/bounds/proof_files.h"
#include "cli/terminal/say.h"
#include "parsers/parsers.h"
#include "planner/check/proofs/certificate.h"

/* BR_NO, after printing the reason, if the proof does not hold. */
static enum br_status certificate_check_file(bool quiet, const char *path, struct br_diag *diag)
{
    struct br_input input;
    struct br_certificate *certificate;
    struct br_diag why = {0};
    int64_t bound_ns;
    enum br_status status = br_parse_proof(path, &input, &bound_ns, &certificate, diag);
    if (status)
        return status;
    if (certificate)
        status = br_certificate_verify(certificate, input.dag, input.cluster, bound_ns, &why);
    else
        status = br_fail(&why, BR_NO, NULL, "it carries no proof");
    if (status && status != BR_NO) {
        *diag = why;
    } else if (!quiet) {
        char text[CLI_SECONDS_TEXT];
        cli_print_text(stdout, path);
        if (status) {
            fputs(": refused: ", stdout);
            cli_print_text(stdout, why.what);
            putchar('\n');
        } else {
            printf(": ok: no plan takes less than %s s\n", cli_seconds(bound_ns, text));
        }
    }
    br_certificate_destroy(certificate);
    br_input_finish(&input);
    return status;
}

/* Checks the proof, and writes it in another form, too. */
static enum br_status certificate_prove_file(const struct cli_settings *settings, const char *path,
                                             struct br_diag *diag)
{
    struct br_input input;
    struct br_bound_result result = {0};
    struct cli_proof proof = {.status = BR_OK};
    enum br_status status =
        br_parse_proof(path, &input, &result.lower_bound_ns, &result.certificate, diag);
    if (status)
        return status;
    proof.diag = *diag;
    proof.status = cli_write_proof(settings, &input, &result, &proof.size, &proof.diag);
    if (!proof.status && !settings->output.quiet) {
        char text[CLI_SECONDS_TEXT];
        cli_print_text(stdout, path);
        printf(": ok: no plan takes less than %s s\n", cli_seconds(result.lower_bound_ns, text));
    }
    status = cli_tell_proof(settings, &result, &proof, diag);
    br_certificate_destroy(result.certificate);
    br_input_finish(&input);
    return status;
}

enum br_status cli_check_certificates(const struct cli_settings *settings, const char *const *path,
                                      uint32_t paths, struct br_diag *diag)
{
    enum br_status worst = BR_OK;
    const char *name = settings->output.path;
    if (settings->bound.proof ? paths != 1 || !name || strcmp(name, "-") == 0 : name != NULL)
        return br_fail(diag, BR_USAGE, "give one file and -o NAME, for the names of two files",
                       "--proof writes two files of its own, and nothing else needs -o");
    if (settings->bound.proof)
        return certificate_prove_file(settings, path[0], diag);
    for (uint32_t k = 0; k < paths; k++) {
        enum br_status status = certificate_check_file(settings->output.quiet, path[k], diag);
        if (status > BR_NO) { /* report it and go on: the others may be valid */
            cli_say_diag(diag);
            *diag = (struct br_diag){0};
        }
        worst = status > worst ? status : worst;
    }
    return worst;
}
