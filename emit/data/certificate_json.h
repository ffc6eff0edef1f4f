/* Writing certificates of lower bounds. */
#ifndef BR_EMIT_DATA_CERTIFICATE_JSON_H
#define BR_EMIT_DATA_CERTIFICATE_JSON_H

#include <stdio.h>

#include "planner/instance/certificate.h"

/* Writes the object, with stages and resources by name, those of a relaxed job as the relaxation
 * names them. Errors of the file stay in its flag. BR_SYSTEM when memory is out. */
enum br_status br_write_certificate(FILE *out, const struct br_dag *dag,
                                    const struct br_certificate *certificate, struct br_diag *diag);

#endif
