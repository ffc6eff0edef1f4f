/* The check of certificates. It uses the model and arithmetic of its own, and nothing of what finds
 * bounds or plans. */
#ifndef BR_PLANNER_CHECK_PROOFS_CERTIFICATE_H
#define BR_PLANNER_CHECK_PROOFS_CERTIFICATE_H

#include "planner/instance/certificate.h"

/* Checks the proof in exact integers. BR_OK; BR_NO with the words for what fails; BR_SYSTEM when
 * memory is out. `whole` is the instance of the whole job, which the certificate is about: not of
 * one from which it was relaxed. */
enum br_status br_certificate_check(const struct br_certificate *certificate,
                                    const struct br_dag *dag, const struct br_instance *whole,
                                    struct br_diag *diag);

/* As br_certificate_check; also BR_NO if the certificate proves less than bound_ns. */
enum br_status br_certificate_proves(const struct br_certificate *certificate,
                                     const struct br_dag *dag, const struct br_instance *whole,
                                     int64_t bound_ns, struct br_diag *diag);

#endif
