#include "emit/workloads/form.h"

#include "base/numbers/real.h"
#include "emit/write/write.h"

void br_write_real(FILE *out, double value)
{
    br_write_decimal(out, br_real_decimal(value));
}
