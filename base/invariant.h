/* Invariants that are costly to check.
 *
 * A cheap invariant is a plain assert: a comparison or two where the code relies on it. Release
 * builds omit asserts. A costly invariant walks over a structure (a whole profile, tree, list) at
 * every change, so it stands in br_costly_assert, which the build option `checks` switches on:
 * `meson setup build -Dchecks=true`. Without the option the condition is compiled, so that it stays
 * correct C and its helpers count as used, but it is never evaluated, and the compiler removes it
 * together with helpers that only it uses.
 *
 * A condition has no side effects. An invariant is a property that the program itself guarantees:
 * wrong input is an error with its place, never an assert. */
#ifndef BR_BASE_INVARIANT_H
#define BR_BASE_INVARIANT_H

#include <assert.h>

/* Ends the program if the condition is false; evaluated only with the build option `checks`. */
#ifdef BR_CHECKS
#ifdef NDEBUG
#error "the option checks needs asserts: not in a release build, nor with b_ndebug=true"
#endif
#define br_costly_assert(condition) assert(condition)
#else
#define br_costly_assert(condition) ((void)(0 && (condition)))
#endif

#endif
