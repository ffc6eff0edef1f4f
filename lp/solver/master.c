/* GLPK's primal simplex keeps its basis when columns come, so that each round of column generation
 * goes on from the end of the last one. */
#include "lp/solver/master.h"

#include <assert.h>
#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>

struct lp_master {
    glp_prob *lp;
};

static jmp_buf abandoned;

static void master_leave(void *info)
{
    longjmp(abandoned, 1);
}

/* Terminal output stays off even if GLPK turns it on to report a fault. */
static int swallow(void *info, const char *text)
{
    return 1;
}

bool lp_guarded(void (*run)(void *context), void *context)
{
    /* Without memory for its own state GLPK aborts at whatever call comes first, but for this. */
    if (glp_init_env() > 1)
        return false;
    glp_term_out(GLP_OFF);
    glp_term_hook(swallow, NULL);
    if (setjmp(abandoned) != 0) {
        /* GLPK's own state is undefined now; the manual asks for this call before any other. */
        glp_error_hook(NULL, NULL);
        glp_free_env();
        return false;
    }
    glp_error_hook(master_leave, NULL);
    run(context);
    glp_error_hook(NULL, NULL);
    return true;
}

struct lp_master *lp_master_create(void)
{
    struct lp_master *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->lp = glp_create_prob();
    glp_set_obj_dir(m->lp, GLP_MIN);
    return m;
}

void lp_master_destroy(struct lp_master *m)
{
    if (!m)
        return;
    glp_delete_prob(m->lp);
    free(m);
}

int lp_master_add_row(struct lp_master *m, enum lp_row kind, double value)
{
    int row = glp_add_rows(m->lp, 1);
    glp_set_row_bnds(m->lp, row, kind == LP_AT_MOST ? GLP_UP : GLP_LO, value, value);
    if (kind == LP_AT_LEAST) {
        const double one[] = {0, 1};
        const int at[] = {0, row};
        int column = lp_master_add_column(m, 1, at, one);
        glp_set_obj_coef(m->lp, column, 1);
        /* All shortfalls together are a basis to begin with. */
        glp_set_col_stat(m->lp, column, GLP_BS);
        glp_set_row_stat(m->lp, row, GLP_NL);
    }
    return row;
}

int lp_master_add_column(struct lp_master *m, int count, const int *row, const double *value)
{
    int column = glp_add_cols(m->lp, 1);
    glp_set_col_bnds(m->lp, column, GLP_LO, 0, 0);
    glp_set_mat_col(m->lp, column, count, row, value);
    return column;
}

void lp_master_extend_row(struct lp_master *m, int row, int count, int *column, double *value)
{
    /* The row holds its own shortfall; setting a row replaces it. */
    int there = glp_get_mat_row(m->lp, row, NULL, NULL);
    if (there > 0) {
        assert(there == 1);
        int at[2];
        double one[2];
        glp_get_mat_row(m->lp, row, at, one);
        column[++count] = at[1];
        value[count] = one[1];
    }
    glp_set_mat_row(m->lp, row, count, column, value);
}

int lp_master_add_variable(struct lp_master *m, double cost, double most)
{
    int column = glp_add_cols(m->lp, 1);
    bool ends = most < INFINITY;
    glp_set_col_bnds(m->lp, column, ends ? GLP_DB : GLP_LO, 0, ends ? most : 0);
    glp_set_obj_coef(m->lp, column, cost);
    return column;
}

int lp_master_add_cut(struct lp_master *m, double value, int count, const int *column,
                      const double *coefficient)
{
    int row = glp_add_rows(m->lp, 1);
    glp_set_row_bnds(m->lp, row, GLP_LO, value, value);
    glp_set_mat_row(m->lp, row, count, column, coefficient);
    return row;
}

static bool solve(struct lp_master *m, double seconds, int method)
{
    glp_smcp options;
    glp_init_smcp(&options);
    options.msg_lev = GLP_MSG_OFF;
    options.meth = method;
    if (seconds > 0 && seconds < 1e6)
        options.tm_lim = (int)(seconds * 1000) + 1;
    int fault = glp_simplex(m->lp, &options);
    if (fault == GLP_EBADB || fault == GLP_ESING || fault == GLP_ECOND) {
        glp_std_basis(m->lp); /* the old basis does not serve: begin afresh */
        fault = glp_simplex(m->lp, &options);
    }
    return fault == 0 && glp_get_status(m->lp) == GLP_OPT;
}

bool lp_master_solve(struct lp_master *m, double seconds)
{
    return solve(m, seconds, GLP_PRIMAL);
}

bool lp_master_resolve(struct lp_master *m, double seconds)
{
    return solve(m, seconds, GLP_DUALP);
}

double lp_master_objective(const struct lp_master *m)
{
    return glp_get_obj_val(m->lp);
}

double lp_master_dual(const struct lp_master *m, int row)
{
    double dual = glp_get_row_dual(m->lp, row);
    if (glp_get_row_type(m->lp, row) == GLP_UP)
        dual = -dual;
    return dual > 0 ? dual : 0;
}

double lp_master_value(const struct lp_master *m, int column)
{
    return glp_get_col_prim(m->lp, column);
}
