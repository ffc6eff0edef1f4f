#include "cluster/workload/read/slurm_value.h"

#include <stddef.h>
#include <string.h>

#include "base/numbers/decimal.h"
#include "base/numbers/wide.h"

#define MOST_SECONDS INT64_C(2000000000)
#define MOST_BYTES INT64_C(1000000000000000000)

/* Reads one to `most` digits and passes them. */
static bool slurm_value_digits(const char **p, int most, int64_t *value)
{
    int count = 0;
    *value = 0;
    for (; **p >= '0' && **p <= '9' && count < most; (*p)++, count++)
        *value = *value * 10 + (**p - '0');
    return count > 0 && !(**p >= '0' && **p <= '9');
}

static bool slurm_value_pass(const char **p, char c)
{
    bool found = **p == c;
    *p += found;
    return found;
}

/* Days from the beginning of 1970 to the first of March of the year, in the Gregorian calendar. */
static int64_t days_to_march(int64_t year)
{
    return year * 365 + year / 4 - year / 100 + year / 400 - 719468;
}

static int64_t days_of_month(int64_t year, int64_t month)
{
    static const int64_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

bool br_slurm_time(const char *text, int64_t *seconds)
{
    const char *p = text;
    int64_t year, month, day, hour, minute, second;
    if (slurm_value_digits(&p, 10, &year) && *p == 0) {
        *seconds = year;
        return true;
    }
    p = text;
    bool form = slurm_value_digits(&p, 4, &year) && slurm_value_pass(&p, '-') &&
                slurm_value_digits(&p, 2, &month) && slurm_value_pass(&p, '-') &&
                slurm_value_digits(&p, 2, &day) && slurm_value_pass(&p, 'T') &&
                slurm_value_digits(&p, 2, &hour) && slurm_value_pass(&p, ':') &&
                slurm_value_digits(&p, 2, &minute) && slurm_value_pass(&p, ':') &&
                slurm_value_digits(&p, 2, &second) && *p == 0;
    if (!form || year < 1970 || month < 1 || month > 12 || day < 1 ||
        day > days_of_month(year, month) || hour > 23 || minute > 59 || second > 60)
        return false;
    int64_t from_march = month > 2 ? month - 3 : month + 9; /* months, with the leap day last */
    int64_t days =
        days_to_march(month > 2 ? year : year - 1) + (153 * from_march + 2) / 5 + day - 1;
    *seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
    return true;
}

bool br_slurm_duration(const char *text, int64_t *ns)
{
    const char *p = text;
    int64_t part[3] = {0}, days = 0, nano = 0;
    int parts = 0;
    bool with_days = strchr(text, '-') != NULL;
    if (with_days && !(slurm_value_digits(&p, 6, &days) && slurm_value_pass(&p, '-')))
        return false;
    do {
        p += parts > 0;
        if (!slurm_value_digits(&p, 6, &part[parts++]))
            return false;
    } while (*p == ':' && parts < 3);
    if (*p == '.') {
        int64_t unit = 100000000;
        for (p++; *p >= '0' && *p <= '9'; p++, unit /= 10)
            nano += unit * (*p - '0');
        if (p[-1] == '.')
            return false;
    }
    if (*p || parts < 2 || (with_days && parts < 3))
        return false;
    int64_t hours = parts == 3 ? part[0] : 0;
    int64_t minutes = part[parts - 2], seconds = part[parts - 1];
    if (seconds > 59 || (minutes > 59 && parts == 3) || (hours > 23 && with_days))
        return false;
    seconds += (days * 24 + hours) * 3600 + minutes * 60;
    if (seconds > MOST_SECONDS)
        return false;
    *ns = seconds * 1000000000 + nano;
    return true;
}

/* 1024 to the power of the letter; `none` without one. Skips the letter. */
static int64_t slurm_value_factor(const char **p, int64_t none)
{
    static const char letters[] = "KMGTP";
    const char *found = **p ? strchr(letters, **p) : NULL;
    if (!found)
        return none;
    (*p)++;
    return INT64_C(1) << 10 * (found - letters + 1);
}

/* A decimal of at most 12 digits before the point, in units of 1e-6. */
static bool decimal(const char **p, int64_t *micro)
{
    int64_t unit = 100000;
    if (!slurm_value_digits(p, 12, micro))
        return false;
    *micro *= 1000000;
    if (**p != '.')
        return true;
    for ((*p)++; **p >= '0' && **p <= '9'; (*p)++, unit /= 10)
        *micro += unit * (**p - '0');
    return (*p)[-1] != '.';
}

static bool slurm_value_scaled(const char **p, int64_t none, int64_t most, int64_t *value)
{
    int64_t micro;
    if (!decimal(p, &micro))
        return false;
    br_uwide wide = (br_uwide)micro * (br_uwide)slurm_value_factor(p, none) / 1000000;
    *value = wide <= (br_uwide)most ? (int64_t)wide : 0;
    return wide <= (br_uwide)most;
}

bool br_slurm_count(const char *text, uint32_t *count)
{
    int64_t value;
    if (!slurm_value_scaled(&text, 1, UINT32_MAX, &value) || *text)
        return false;
    *count = (uint32_t)value;
    return true;
}

bool br_slurm_size(const char *text, int64_t *bytes, const char **rest)
{
    *rest = text;
    return slurm_value_scaled(rest, 1 << 20, MOST_BYTES, bytes);
}

static bool slurm_value_begins(const char **p, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*p, word, length) != 0)
        return false;
    *p += length;
    return true;
}

static bool count_entry(const char **p, uint32_t *count)
{
    int64_t value;
    bool read = slurm_value_scaled(p, 1, UINT32_MAX, &value);
    if (read)
        *count = (uint32_t)value;
    return read;
}

bool br_slurm_tres(const char *text, struct br_slurm_tres *tres)
{
    uint32_t kinds = 0, of_kind;
    const char *p = text;
    *tres = (struct br_slurm_tres){0};
    while (*p) {
        bool read = true;
        if (slurm_value_begins(&p, "cpu="))
            read = count_entry(&p, &tres->cpus);
        else if (slurm_value_begins(&p, "node="))
            read = count_entry(&p, &tres->nodes);
        else if (slurm_value_begins(&p, "gres/gpu="))
            read = count_entry(&p, &tres->gpus);
        else if (slurm_value_begins(&p, "mem="))
            read = br_slurm_size(p, &tres->mem_bytes, &p);
        else if (slurm_value_begins(&p, "gres/gpu:")) {
            p += strcspn(p, "=,");
            p += *p == '=';
            read = count_entry(&p, &of_kind) && !__builtin_add_overflow(kinds, of_kind, &kinds);
        } else {
            size_t name = strcspn(p, "=,");
            read = name > 0 && p[name] == '=';
            p += strcspn(p, ",");
        }
        if (!read || (*p && *p != ','))
            return false;
        p += *p == ',';
    }
    if (tres->gpus == 0)
        tres->gpus = kinds;
    return true;
}
