/* Status codes and diagnostics: how every fallible call of the library answers.
 *
 * A fallible function returns enum br_status. On anything but BR_OK it has filled the caller's
 * struct br_diag, which may be NULL if the caller does not need it. The library never prints, never
 * exits and keeps no global state.
 *
 * Every call refuses values out of range, and then changes nothing. A fallible function returns
 * BR_USAGE for a NULL that its header does not allow, for the number of a stage, task, machine or
 * job that does not exist, for a value that an enum does not name, and for a negative time limit.
 * It returns BR_BAD_INPUT for an impossible amount, count or duration of a job or a cluster. In
 * these cases the other functions return 0, false, NULL, an empty text, or a struct of zeros. A
 * pointer that is not NULL is trusted to have its type, and arguments that belong together (a plan
 * and its job, a certificate and its job) are trusted to match.
 */
#ifndef BIGROCKS_DIAG_H
#define BIGROCKS_DIAG_H

#include <stdint.h>

#if defined(__GNUC__) && !defined(BR_API)
#define BR_API __attribute__((visibility("default")))
#elif !defined(BR_API)
#define BR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are the exit statuses of the command-line tool. */
enum br_status {
    BR_OK = 0,
    BR_NO = 1,        /* the answer is no: infeasible, check failed */
    BR_USAGE = 2,     /* the call is wrong */
    BR_BAD_INPUT = 3, /* a file or a value in it is wrong; the diag says where */
    BR_SYSTEM = 5,    /* memory, files, processes, a missing dependency */
};

/* A failure: its words, its place, and a hint at what to try. All texts are NUL-terminated and cut
 * if too long. */
struct br_diag {
    enum br_status status;
    uint32_t line;   /* 1-based; 0 if unknown */
    uint32_t column; /* 1-based; 0 if unknown */
    char file[256];  /* empty if the input is not a file */
    char what[768];  /* the fault, in one sentence without a full stop */
    char hint[512];  /* what to try; may be empty */
};

/* Formats "file:line:column: what; hint" into text, leaving out what is unknown.
 * Returns the length that the whole would have, like snprintf. */
BR_API int br_diag_format(const struct br_diag *diag, char *text, int size);

#ifdef __cplusplus
}
#endif
#endif
