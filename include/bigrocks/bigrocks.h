/* Everything: include this one. */
#ifndef BIGROCKS_BIGROCKS_H
#define BIGROCKS_BIGROCKS_H

#include <bigrocks/bound.h>
#include <bigrocks/certificate.h>
#include <bigrocks/cluster.h>
#include <bigrocks/dag.h>
#include <bigrocks/diag.h>
#include <bigrocks/network.h>
#include <bigrocks/plan.h>
#include <bigrocks/planner.h>
#include <bigrocks/runtime.h>
#include <bigrocks/stop.h>
#include <bigrocks/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library at run time, such as "0.1.0". */
BR_API const char *br_version(void);

#ifdef __cplusplus
}
#endif
#endif
