/* Filling diagnostics; the type and its meaning are public. */
#ifndef BR_BASE_TEXT_DIAG_H
#define BR_BASE_TEXT_DIAG_H

#include <bigrocks/diag.h>
#include <stddef.h>

/* A place in a text; zeros if unknown. */
struct br_pos {
    uint32_t line, column;
};
#define BR_NO_POS ((struct br_pos){0, 0}) /* of a fault of the file as a whole */

/* Sets status, what and hint (may be NULL), keeps file and place, and returns the status: `return
 * br_fail(diag, BR_BAD_INPUT, "use a positive count", "stage '%s' has no tasks", id);` diag may be
 * NULL. A macro, so that compilers and analysers see that the result is the given status and work
 * does not go on after it; it evaluates `status` twice. */
#define br_fail(diag, status, ...)                                                                 \
    (br_note_fault((diag), (status), __VA_ARGS__), br_given_status(status))
/* Does this at a place. */
#define br_fail_at(diag, pos, status, ...)                                                         \
    (br_note_fault_at((diag), (pos), (status), __VA_ARGS__), br_given_status(status))
/* Their effect on the diag. */
void br_note_fault(struct br_diag *diag, enum br_status status, const char *hint,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
void br_note_fault_at(struct br_diag *diag, struct br_pos pos, enum br_status status,
                      const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static inline enum br_status br_given_status(enum br_status status)
{
    return status;
}
/* The error for memory that is out: BR_SYSTEM. Inline, so that compilers and analysers see that
 * work does not go on after it. */
void br_note_memory(struct br_diag *diag);
static inline enum br_status br_fail_memory(struct br_diag *diag)
{
    br_note_memory(diag);
    return BR_SYSTEM;
}
/* The k-th of these arguments, from 0, is NULL: BR_USAGE. */
enum br_status br_fail_null(struct br_diag *diag, size_t k, const char *arguments);
/* Returns from a public function if one of the required pointers is NULL. */
#define BR_NEED(diag, ...)                                                                         \
    do {                                                                                           \
        const void *const needed[] = {__VA_ARGS__};                                                \
        for (size_t k_ = 0; k_ < sizeof needed / sizeof *needed; k_++)                             \
            if (!needed[k_])                                                                       \
                return br_fail_null((diag), k_, #__VA_ARGS__);                                     \
    } while (0)

/* Names the file of later faults; NULL clears. Cuts names that are too long. */
void br_diag_file(struct br_diag *diag, const char *file);

#endif
