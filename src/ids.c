// SPDX-License-Identifier: MIT
/*
 * ids.c - a bitmap that doubles when it is full
 *
 *	words   [0] 1111..1   [1] 1111..1   [2] 0110..0   [3] 0000..0
 *	                                     ^
 *	                                   first: the lowest zero is in it or
 *	                                          behind it
 *
 * Whoever gives back the last id frees the words too, so there is nothing to
 * destroy.
 */
#include "ids.h"

#include <string.h>

#define WORD_BITS ((unsigned int)(sizeof(unsigned long) * CHAR_BIT))
#define MAX_WORDS ((IDS_MAX + 1) / WORD_BITS)

void ids_init(struct ids *ids)
{
	*ids = (struct ids)IDS_INIT;
}

static size_t words_size(unsigned int nr)
{
	return nr * sizeof(unsigned long);
}

static int grow(struct ids *ids)
{
	unsigned int nr = ids->nr_words ? ids->nr_words * 2 : 1;
	unsigned long *words;

	if (nr > MAX_WORDS)
		return -ENOSPC;
	words = port_zalloc(words_size(nr));
	if (!words)
		return -ENOMEM;
	if (ids->words)
		memcpy(words, ids->words, words_size(ids->nr_words));
	port_free(ids->words, words_size(ids->nr_words));
	ids->words = words;
	ids->nr_words = nr;
	return 0;
}

/* Make @first the word that has the lowest free id. */
static int seek(struct ids *ids)
{
	while (ids->first < ids->nr_words && !~ids->words[ids->first])
		ids->first++;
	return ids->first < ids->nr_words ? 0 : grow(ids);
}

int ids_take(struct ids *ids)
{
	unsigned long *word;
	int bit;
	int id;

	lock_take(&ids->lock);
	id = seek(ids);
	if (id)
		goto out;
	word = &ids->words[ids->first];
	bit = __builtin_ctzl(~*word);
	*word |= 1ul << bit;
	ids->nr_taken++;
	id = (int)(ids->first * WORD_BITS) + bit;
out:
	lock_drop(&ids->lock);
	return id;
}

static void clear(struct ids *ids)
{
	port_free(ids->words, words_size(ids->nr_words));
	ids->words = NULL;
	ids->nr_words = 0;
	ids->first = 0;
}

void ids_give(struct ids *ids, int id)
{
	unsigned int word = (unsigned int)id / WORD_BITS;
	unsigned long bit = 1ul << (unsigned int)id % WORD_BITS;

	lock_take(&ids->lock);
	wane_assert(id >= 0 && word < ids->nr_words);
	wane_assert(ids->words[word] & bit);
	ids->words[word] &= ~bit;
	ids->first = min_of(ids->first, word);
	if (--ids->nr_taken == 0)
		clear(ids);
	lock_drop(&ids->lock);
}
