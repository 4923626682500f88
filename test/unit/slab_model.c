/* SPDX-License-Identifier: MIT */
/*
 * Slabs: random operations against a model that remembers every object.
 */
#include "slab.h"

#include <string.h>

#define MODEL_SLABS 6
#define MODEL_OBJECTS 4000

struct model_slab {
	struct wane_slab *slab;
	size_t size;
	bool constructed;
	bool charged;
	size_t nr;
};

struct model_object {
	uint8_t *memory;
	uint8_t byte;
	struct model_slab *slab;
	struct wane_group *group;
};

static struct model {
	struct test_random random;
	struct model_slab slab[MODEL_SLABS];
	struct model_object object[MODEL_OBJECTS];
	size_t nr;
	struct wane_group *group[2];
} model;

static void model_slab_make(struct model_slab *slab)
{
	static const size_t most[] = { 16, 200, 2000, 20000, WANE_SLAB_MAX };
	struct test_random *random = &model.random;

	slab->size =
		8 + test_random_below(random,
				      most[test_random_below(random, 5)] - 7);
	slab->constructed = test_random_one_in(random, 3);
	slab->charged = test_random_one_in(random, 2);
	slab->nr = 0;
	assert_int_equal(slab_try_make(&slab->slab, slab->size, 0,
				       slab->charged ? WANE_SLAB_CHARGED : 0,
				       slab->constructed ? stay_zero : NULL),
			 0);
}

static void model_take(struct model_slab *slab)
{
	struct model_object *object = &model.object[model.nr];
	struct wane_group *group = model.group[model.nr % 2];
	int node =
		(int)test_random_below(&model.random, (uint64_t)wane_nodes());

	if (model.nr == MODEL_OBJECTS)
		return;
	object->slab = slab;
	object->byte = (uint8_t)test_random_next(&model.random);
	object->group = slab->charged ? group : NULL;
	if (slab->charged || node == 0)
		object->memory = wane_slab_alloc(slab->slab, group, 0);
	else
		object->memory = slab_take(slab->slab, node);
	assert_non_null(object->memory);
	if (slab->constructed)
		assert_int_equal(*(uint64_t *)object->memory, 0);
	memset(object->memory, object->byte, slab->size);
	slab->nr++;
	model.nr++;
}

static void model_give(struct model_object *object)
{
	uint8_t *memory = object->memory;
	size_t size = object->slab->size;

	assert_int_equal(memory[0], object->byte);
	assert_memory_equal(memory, memory + 1, size - 1);
	assert_ptr_equal(wane_slab_group(memory), object->group);
	if (object->slab->constructed)
		stay_zero(memory);
	wane_slab_free(object->slab->slab, memory);
	object->slab->nr--;
	*object = model.object[--model.nr];
}

static void model_give_some(size_t nr)
{
	while (nr-- > 0 && model.nr > 0)
		model_give(&model.object[test_random_below(&model.random,
							   model.nr)]);
}

static void model_check(void)
{
	for (size_t i = 0; i < MODEL_SLABS; i++) {
		slab_assert_valid(model.slab[i].slab);
		assert_int_equal(info_of(model.slab[i].slab).active,
				 model.slab[i].nr);
	}
}

static void model_replace(struct model_slab *slab)
{
	int expected = slab->nr ? -EBUSY : 0;

	assert_int_equal(wane_slab_destroy(slab->slab), expected);
	if (expected == 0)
		model_slab_make(slab);
}

static void model_step(void)
{
	struct model_slab *slab =
		&model.slab[test_random_below(&model.random, MODEL_SLABS)];
	size_t nr = 1 + test_random_below(&model.random, 100);

	switch (test_random_below(&model.random, 20)) {
	case 0:
		wane_slab_shrink(slab->slab);
		break;
	case 4:
		store_relaxed(&slab_trimmed, port_second() - 1);
		slab_trim();
		break;
	case 1:
		model_replace(slab);
		break;
	case 2:
		model_check();
		break;
	case 3:
		model_give_some(model.nr / 2);
		break;
	case 5 ... 11:
		model_give_some(nr);
		break;
	default:
		while (nr-- > 0)
			model_take(slab);
	}
}

static void test_model(void **state)
{
	size_t base = base_now();

	(void)state;
	model.random.state = test_seed();
	for (int i = 0; i < 2; i++)
		model.group[i] = group_make(NULL, NULL);
	for (size_t i = 0; i < MODEL_SLABS; i++)
		model_slab_make(&model.slab[i]);
	for (int i = 0; i < 3000; i++)
		model_step();
	model_check();
	model_give_some(model.nr);
	model_check();
	for (size_t i = 0; i < MODEL_SLABS; i++)
		assert_int_equal(wane_slab_destroy(model.slab[i].slab), 0);
	for (int i = 0; i < 2; i++)
		wane_group_put(model.group[i]);
	assert_int_equal(base_now(), base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
