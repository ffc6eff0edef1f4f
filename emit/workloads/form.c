#include "emit/workloads/form.h"

#include <string.h>

#include "base/numbers/real.h"
#include "emit/write/write.h"

void br_write_real(FILE *out, double value)
{
    br_write_decimal(out, br_real_decimal(value));
}

void br_write_table_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")] && *text != ' ' && *text != '\t') {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}
