/* Filling diagnostics; the type and its meaning are public. */
#ifndef BR_BASE_DIAG_H
#define BR_BASE_DIAG_H

#include <bigrocks/diag.h>

/* A place in a text; zeros where unknown. */
struct br_pos {
    uint32_t line, column;
};

/* Sets status, what and hint (may be NULL), keeps file and place, and returns the status:
 * `return br_fail(diag, BR_BAD_INPUT, "use a positive count", "stage '%s' has no tasks", id);`
 * diag may be NULL. */
enum br_status br_fail(struct br_diag *diag, enum br_status status, const char *hint,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same at a place. */
enum br_status br_fail_at(struct br_diag *diag, struct br_pos pos, enum br_status status,
                          const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The one answer to memory that is out: BR_SYSTEM. Inline, so that compilers and analysers see that
 * work does not go on after it. */
void br_note_memory(struct br_diag *diag);
static inline enum br_status br_fail_memory(struct br_diag *diag)
{
    br_note_memory(diag);
    return BR_SYSTEM;
}
/* Names the file that later faults are in; NULL clears. Cuts names that are too long. */
void br_diag_file(struct br_diag *diag, const char *file);

#endif
