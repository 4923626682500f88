/* SPDX-License-Identifier: MIT */
/*
 * Slabs: sizes, contents, constructors, numbers, memory given back.
 */
#include "slab.h"

#include <string.h>
#include <sys/mman.h>

/* An object's bytes follow from its number, so an overlap shows. */
static void object_fill(void *object, size_t size, size_t number)
{
	uint8_t *byte = object;

	for (size_t i = 0; i < size; i++)
		byte[i] = (uint8_t)((number + i) * 167 + (number >> 8));
}

static void object_verify(const void *object, size_t size, size_t number)
{
	const uint8_t *byte = object;

	for (size_t i = 0; i < size; i++)
		if (byte[i] != (uint8_t)((number + i) * 167 + (number >> 8)))
			fail_msg("byte %zu of object %zu is wrong", i, number);
}

/* ---- Sizes ---------------------------------------------------------------- */

static size_t align_expected(size_t size, size_t align)
{
	if (align)
		return align;
	return size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1;
}

static void check_size(size_t size, size_t align)
{
	struct wane_slab *slab = slab_make(size, align, 0);
	struct wane_slab_info info = info_of(slab);
	size_t nr = 2 * info.slab_objects + 1;
	void **object = calloc(nr, sizeof(*object));

	assert_true(info.object_room >= size);
	assert_true(info.slab_objects >= 8);
	assert_true(info.slab_objects * info.object_room <= info.slab_bytes);
	for (size_t i = 0; i < nr; i++) {
		object[i] = wane_slab_alloc(slab, NULL, 0);
		assert_non_null(object[i]);
		assert_int_equal(
			(uintptr_t)object[i] % align_expected(size, align), 0);
		object_fill(object[i], size, i);
	}
	slab_assert_valid(slab);
	info = info_of(slab);
	assert_int_equal(info.active, nr);
	assert_int_equal(info.total, 3 * info.slab_objects);
	for (size_t i = 0; i < nr; i++) {
		object_verify(object[i], size, i);
		wane_slab_free(slab, object[i]);
	}
	slab_assert_valid(slab);
	assert_int_equal(info_of(slab).active, 0);
	assert_int_equal(wane_slab_destroy(slab), 0);
	free(object);
}

static void test_sizes(void **state)
{
	static const size_t size[] = { 1,     2,     3,	    5,	   7,	 8,
				       9,     16,    24,    33,	   63,	 64,
				       65,    100,   520,   576,   1000, 2048,
				       2049,  4096,  4368,  5461,  8193, 16384,
				       16385, 32769, 60000, 65535, 65536 };
	static const size_t align[] = { 0, 1, 2, 8, 64, 4096 };
	size_t base = base_now();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(size); i++)
		for (size_t j = 0; j < ARRAY_SIZE(align); j++)
			check_size(size[i], align[j]);
	assert_int_equal(base_now(), base);
}

/* Every size: an object's index follows from its address without division. */
static void test_index(void **state)
{
	(void)state;
	for (unsigned int room = 2; room <= WANE_SLAB_MAX; room++) {
		struct wane_slab slab = { .room = room,
					  .inverse = slab_inverse(room) };
		size_t nr = (CHUNK_BYTES << RUN_ORDER_MAX) / room;
		size_t near[] = { 0, 1, nr / 2, nr - 1 };

		nr = min_of(nr, (size_t)RUN_END);
		for (size_t i = 0; i < ARRAY_SIZE(near); i++) {
			uint64_t offset = near[i] * room;

			assert_int_equal(offset * slab.inverse >> 40, near[i]);
			offset += room - 1;
			assert_int_equal(offset * slab.inverse >> 40, near[i]);
		}
	}
}

static void test_config(void **state)
{
	struct wane_slab_config good = { .size = sizeof(good),
					 .object_size = 10 };
	struct wane_slab_config bad[] = { good, good, good, good, good, good };
	struct wane_slab *const untouched = (struct wane_slab *)&good;
	struct wane_slab *slab = untouched;

	(void)state;
	bad[0].object_size = 0;
	bad[1].object_size = WANE_SLAB_MAX + 1;
	bad[2].align = 3;
	bad[3].align = 8192;
	bad[4].flags = 2;
	bad[5].size = offsetof(struct wane_slab_config, object_size);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(wane_slab_create(&slab, &bad[i]), -EINVAL);
	assert_ptr_equal(slab, untouched);

	assert_int_equal(wane_slab_create(&slab, &good), 0);
	assert_string_equal(info_of(slab).name, "");
	wane_slab_free(slab, NULL);
	assert_int_equal(wane_slab_destroy(slab), 0);
	assert_int_equal(wane_slab_destroy(NULL), 0);
}

/* ---- Constructors ------------------------------------------------------------ */

struct built {
	uint32_t magic;
	uint32_t uses;
	char rest[92];
};

static size_t nr_built;

static void build(void *object)
{
	struct built *built = object;

	nr_built++;
	memset(built, 0, sizeof(*built));
	built->magic = 0xfeedbeef;
}

static void test_constructor(void **state)
{
	struct built *object[500];
	struct wane_slab *slab;

	(void)state;
	assert_int_equal(
		slab_try_make(&slab, sizeof(struct built), 0, 0, build), 0);
	nr_built = 0;
	for (uint32_t round = 0; round < 5; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(object); i++) {
			object[i] = wane_slab_alloc(slab, NULL, 0);
			assert_non_null(object[i]);
			assert_int_equal(object[i]->magic, 0xfeedbeef);
			assert_true(object[i]->uses <= round);
			object[i]->uses++;
		}
		for (size_t i = 0; i < ARRAY_SIZE(object); i += 2)
			wane_slab_free(slab, object[i]);
		for (size_t i = 1; i < ARRAY_SIZE(object); i += 2)
			wane_slab_free(slab, object[i]);
		slab_assert_valid(slab);
	}
	/* Runs that were given back in between were built again. */
	assert_true(nr_built >= info_of(slab).total);
	assert_int_equal(nr_built % info_of(slab).slab_objects, 0);

	object[0] = wane_slab_alloc(slab, NULL, 0);
	nr_built = 0;
	for (int i = 0; i < 1000; i++) {
		struct built *one = wane_slab_alloc(slab, NULL, 0);

		assert_int_equal(one->magic, 0xfeedbeef);
		wane_slab_free(slab, one);
	}
	assert_true(nr_built <= info_of(slab).slab_objects);
	wane_slab_free(slab, object[0]);
	assert_int_equal(wane_slab_destroy(slab), 0);
}

/* ---- Numbers --------------------------------------------------------------------- */

static void test_info(void **state)
{
	struct wane_slab *slab = slab_make(520, 0, 0);
	struct {
		struct wane_slab_info info;
		size_t behind;
	} small = { .info.size = offsetof(struct wane_slab_info, total),
		    .info.total = 77,
		    .behind = 88 };
	void *object = wane_slab_alloc(slab, NULL, 0);
	struct wane_slab_info info = info_of(slab);

	(void)state;
	assert_string_equal(info.name, "test");
	assert_int_equal(info.object_size, 520);
	assert_int_equal(info.object_room, 520);
	assert_int_equal(info.slab_objects, 31);
	assert_int_equal(info.slab_bytes, 16384);
	assert_int_equal(info.bytes, 16384);
	assert_int_equal(info.active, 1);
	assert_int_equal(info.total, 31);

	wane_slab_info(slab, &small.info);
	assert_int_equal(small.info.active, 1);
	assert_int_equal(small.info.total, 77);
	assert_int_equal(small.behind, 88);

	wane_slab_free(slab, object);
	assert_int_equal(wane_slab_destroy(slab), 0);

	slab = slab_make(4368, 0, 0);
	info = info_of(slab);
	assert_int_equal(info.slab_objects, 15);
	assert_int_equal(info.slab_bytes, 65536);
	assert_int_equal(info.bytes, 0);
	assert_int_equal(wane_slab_destroy(slab), 0);
}

static void test_size_classes(void **state)
{
	size_t base = base_now();
	size_t last = 0, classes = 0;

	(void)state;
	assert_int_equal(wane_size_room(520), 1024);
	assert_int_equal(wane_size_room(2896), 4096);
	assert_int_equal(wane_size_room(0), 0);
	assert_int_equal(wane_size_room(8193), 0);
	assert_null(wane_size_alloc(0));
	assert_null(wane_size_alloc(8193));
	assert_null(wane_size_alloc(SIZE_MAX));
	wane_size_free(NULL);
	for (size_t bytes = 1; bytes <= 8192; bytes++) {
		size_t room = wane_size_room(bytes);
		void *memory = wane_size_alloc(bytes);

		assert_true(room >= bytes);
		/* The class below is too small, or there is none. */
		assert_true(room == last || last == bytes - 1);
		classes += room != last;
		last = room;
		object_fill(memory, bytes, bytes);
		object_verify(memory, bytes, bytes);
		assert_int_equal(
			(uintptr_t)memory % min_of(room & -room, 4096ul), 0);
		wane_size_free(memory);
	}
	assert_int_equal(classes, 13);
	assert_int_equal(base_now(), base);
}

/* ---- Memory given back ------------------------------------------------------------- */

/* Pages of an object's region that are in memory. */
static size_t resident_around(const void *object)
{
	unsigned char page[REGION_BYTES / 4096];
	size_t nr = 0;

	assert_int_equal(mincore(region_of(object), REGION_BYTES, page), 0);
	for (size_t i = 0; i < sizeof(page); i++)
		nr += page[i] & 1;
	return nr;
}

static void test_give_back(void **state)
{
	enum {
		NR = 20000
	};
	struct wane_slab *slab = slab_make(1000, 0, WANE_SLAB_CHARGED);
	void **object = calloc(NR, sizeof(*object));
	size_t base = base_now();

	(void)state;
	for (size_t i = 0; i < NR; i++) {
		object[i] = wane_slab_alloc(slab, NULL, 0);
		memset(object[i], 1, 1000);
	}
	assert_true(info_of(slab).bytes >= NR * 1000ul);
	for (size_t i = 1; i < NR; i++)
		wane_slab_free(slab, object[i]);
	slab_assert_valid(slab);

	/* Unasked: all but those of the magazine and the depot, the spare. */
	assert_true(info_of(slab).total / info_of(slab).slab_objects <=
		    2 + slab->magazine + slab->depot);
	assert_true(port_held() <= base + 4 * REGION_BYTES + (1u << 20));

	/* Then all pages but the header's, the object's and its neighbours'. */
	assert_true(wane_slab_shrink(slab) > 0);
	slab_assert_valid(slab);
	assert_int_equal(info_of(slab).bytes,
			 info_of(slab).slab_bytes + slab->books_paid);
	assert_in_range(resident_around(object[0]), 1, 8);
	assert_int_equal(wane_slab_shrink(slab), 0);

	wane_slab_free(slab, object[0]);
	assert_true(wane_slab_shrink(slab) > 0);
	assert_int_equal(info_of(slab).bytes, 0);
	assert_int_equal(base_now(), base);
	assert_int_equal(wane_slab_destroy(slab), 0);
	free(object);
}

static void test_busy(void **state)
{
	size_t base = base_now();
	struct wane_slab *slab = slab_make(48, 0, 0);
	void *object = wane_slab_alloc(slab, NULL, 0);

	(void)state;
	object_fill(object, 48, 1);
	assert_int_equal(wane_slab_destroy(slab), -EBUSY);
	assert_int_equal(info_of(slab).active, 1);
	object_verify(object, 48, 1);
	wane_slab_free(slab, wane_slab_alloc(slab, NULL, 0));
	slab_assert_valid(slab);
	assert_int_equal(wane_slab_destroy(slab), -EBUSY);
	wane_slab_free(slab, object);
	assert_int_equal(wane_slab_destroy(slab), 0);
	assert_int_equal(base_now(), base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_index),
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_constructor),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_size_classes),
		cmocka_unit_test(test_give_back),
		cmocka_unit_test(test_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
