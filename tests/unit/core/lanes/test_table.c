/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/core/lanes/test_table.c - the choice of lane width. */
#include "core/lanes/table.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "core/lanes/build.h"

Test(table, widest_is_the_default)
{
    cr_assert(eq(uint, tq_lanes_width(), 0));
    cr_assert(tq_lanes_select(0) == TQ_OK);
    cr_assert(eq(uint, tq_lanes_width(), tq_lanes_widest()));
}

Test(table, every_width_up_to_the_widest_can_be_asked_for)
{
    for (unsigned width = 1; width <= 8; width *= 2) {
        const tq_status status = tq_lanes_select(width);
        cr_expect(status == (width <= tq_lanes_widest() ? TQ_OK : TQ_ERR_RANGE));
        cr_expect(status != TQ_OK || tq_lanes_width() == width);
    }
}

Test(table, an_invalid_width_changes_nothing)
{
    cr_assert(tq_lanes_select(1) == TQ_OK);
    const unsigned wrong[] = {3, 5, 16, 1000};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        cr_expect(tq_lanes_select(wrong[k]) == TQ_ERR_RANGE);
        cr_expect(eq(uint, tq_lanes_width(), 1));
    }
    cr_expect(tq_lanes_force(TQ_BUILD_COUNT) == TQ_ERR_RANGE);
}
