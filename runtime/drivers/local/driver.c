/* The clock and the status of a local run, used by all parts of the driver. */
#include "runtime/drivers/local/driver.h"

void br_driver_read_clock(struct br_driver *driver)
{
    driver->now_ns = br_work_now_ns(&driver->work);
}

void br_driver_wake(struct br_driver *driver)
{
    int64_t before_ns = driver->awake.looked_ns;
    br_driver_read_clock(driver);
    br_awake_look(&driver->awake, driver->now_ns);
    for (uint32_t k = 0; driver->awake.absent_ns && k < driver->slots.count; k++)
        if (driver->slots.slot[k].process.pid > 0 && driver->slots.slot[k].start_ns >= before_ns)
            driver->slots.slot[k].unseen_ns += driver->awake.absent_ns;
}

void br_driver_note(struct br_driver *driver, enum br_status status)
{
    if (!driver->status)
        driver->status = status;
    if (driver->status)
        driver->closing = true;
}
