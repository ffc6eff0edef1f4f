/* Writing certificates of lower bounds. */
#ifndef BR_EMIT_DATA_CERTIFICATE_JSON_H
#define BR_EMIT_DATA_CERTIFICATE_JSON_H

#include <stdio.h>

#include "planner/model/certificate.h"

/* Writes the object, with stages and resources by name. Errors stay in the file's flag. */
void br_write_certificate(FILE *out, const struct br_dag *dag,
                          const struct br_certificate *certificate);

#endif
