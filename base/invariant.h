/* Invariants that are costly to check.
 *
 * A cheap invariant is a plain assert: a comparison or two where the code relies on it. Release
 * builds leave asserts out. A costly invariant walks over a structure (a whole profile, tree, list)
 * at every change of it, so it stands in br_costly_assert, which the build option `checks` switches
 * on: `meson setup build -Dchecks=true`. Without the option the condition is compiled, so that it
 * stays correct C and its helpers count as used, but it is never evaluated, and the compiler takes
 * it out together with helpers that only it uses.
 *
 * A condition has no side effects. An invariant states what this program has to hold by itself:
 * input that is wrong is an error with its place, never an assert. */
#ifndef BR_BASE_INVARIANT_H
#define BR_BASE_INVARIANT_H

#include <assert.h>

/* Ends the program where the condition is false; evaluated with the build option `checks` only. */
#ifdef BR_CHECKS
#ifdef NDEBUG
#error "the option checks needs asserts: not in a release build, nor with b_ndebug=true"
#endif
#define br_costly_assert(condition) assert(condition)
#else
#define br_costly_assert(condition) ((void)(0 && (condition)))
#endif

#endif
