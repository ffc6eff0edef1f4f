/* Reading certificates of lower bounds. */
#ifndef BR_PARSERS_PLANS_CERTIFICATE_JSON_H
#define BR_PARSERS_PLANS_CERTIFICATE_JSON_H

#include "parsers/text/json.h"
#include "planner/instance/certificate.h"

/* Reads the object "bigrocks-certificate/1" at the field; *certificate, the caller's, stays NULL if
 * the field is absent. Its contents are not checked: see br_certificate_check. False after a fault.
 */
bool br_read_certificate(struct br_json *json, const struct br_json_field *field,
                         const struct br_dag *dag, struct br_certificate **certificate);

#endif
