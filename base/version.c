#include <bigrocks/bigrocks.h>

const char *br_version(void)
{
    return BR_VERSION;
}
