/* Certificates: proofs of lower bounds that anybody can check without a solver. */
#ifndef BIGROCKS_CERTIFICATE_H
#define BIGROCKS_CERTIFICATE_H

#include <bigrocks/cluster.h>
#include <bigrocks/dag.h>
#include <bigrocks/diag.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct br_certificate;

/* Releases the certificate; NULL is fine. */
BR_API void br_certificate_destroy(struct br_certificate *certificate);

/* The bound that the certificate claims. False if it does not fit into 63 bits of nanoseconds. */
BR_API bool br_certificate_bound(const struct br_certificate *certificate, int64_t *bound_ns);

/* Checks in exact integers that no plan of the job on the cluster is shorter than bound_ns. BR_OK;
 * BR_NO with the step that fails, also if the certificate proves less; BR_SYSTEM when memory is
 * out. The cost grows with the proof: at most about a quarter of the time it took to find it.
 */
BR_API enum br_status br_certificate_verify(const struct br_certificate *certificate,
                                            const struct br_dag *dag,
                                            const struct br_cluster *cluster, int64_t bound_ns,
                                            struct br_diag *diag);

/* The certificate as JSON ("bigrocks-certificate/1", docs/certificates.md), with stages and
 * resources by their names in the job. The text is the caller's to free(). NULL when memory is
 * out. */
BR_API char *br_certificate_text(const struct br_certificate *certificate,
                                 const struct br_dag *dag);
/* Reads such a text of `size` bytes, followed by a NUL. *certificate is the caller's and is not
 * checked yet: see br_certificate_verify. BR_BAD_INPUT with the line and the column; BR_SYSTEM. */
BR_API enum br_status br_certificate_read(const char *text, size_t size, const struct br_dag *dag,
                                          struct br_certificate **certificate,
                                          struct br_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
