// SPDX-License-Identifier: MIT
/*
 * demo_text.c - what stands in the rows of the demo's databases
 *
 *	id   name               body                      visits  sum
 *	17   amber-river-17     "walk tin house ..."      0       check value
 *
 * Words come from the word list of the distribution, drawn by a generator
 * that is seeded with tenant and id.  The check value covers every column and
 * the tenant's number: a page that lands in another tenant's cache gives rows
 * that are whole and yet wrong, and is found out.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "demo_text.h"
#include "random.h"
#include "say.h"

#define WORD_LEAST 3
#define WORD_MOST 12
#define FEW_WORDS 1000

_Static_assert(2 * WORD_MOST + 12 <= ROW_NAME_MAX,
	       "two words, two dashes and ten digits make a name");
_Static_assert(ROW_BODY_LEAST + 1 + WORD_MOST <= ROW_BODY_MAX,
	       "a body ends with the word that reaches its length");

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	struct stat info;
	char *text = NULL;

	if (!file)
		return NULL;
	if (fstat(fileno(file), &info) || !S_ISREG(info.st_mode))
		goto out;
	*size = (size_t)info.st_size;
	text = malloc(*size + 1);
	if (text && fread(text, 1, *size, file) != *size) {
		free(text);
		text = NULL;
	}
out:
	fclose(file);
	return text;
}

/* Plain words look the same in every encoding: a to z, no capitals. */
static bool plain_word(const char *word, size_t length)
{
	if (length < WORD_LEAST || length > WORD_MOST)
		return false;
	for (size_t i = 0; i < length; i++)
		if (word[i] < 'a' || word[i] > 'z')
			return false;
	return true;
}

static void add_word(struct words *words, const char *start, size_t length)
{
	if (!plain_word(start, length))
		return;
	words->list[words->nr++] = (struct word){
		.offset = (uint32_t)(start - words->text),
		.length = (uint32_t)length,
	};
	for (size_t i = 0; i < length; i++)
		words->digest = (words->digest ^ (uint8_t)start[i]) * 16777619u;
}

static void split_words(struct words *words, size_t size)
{
	const char *start = words->text, *end = words->text + size;

	while (start < end) {
		const char *stop = memchr(start, '\n', (size_t)(end - start));

		if (!stop)
			stop = end;
		add_word(words, start, (size_t)(stop - start));
		start = stop + 1;
	}
}

int words_load(struct words *words)
{
	size_t size = 0;

	*words = (struct words){ .digest = 2166136261u };
	words->text = read_file(WORDS_FILE, &size);
	if (!words->text)
		return say_failure("cannot read the word list " WORDS_FILE
				   ": install the package " WORDS_PACKAGE);
	words->list = malloc((size / 2 + 1) * sizeof(*words->list));
	if (!words->list) {
		words_destroy(words);
		return say_failure("out of memory while reading words");
	}
	split_words(words, size);
	if (words->nr < FEW_WORDS) {
		words_destroy(words);
		return say_failure(WORDS_FILE " has hardly any words: install "
					      "the package " WORDS_PACKAGE);
	}
	return 0;
}

void words_destroy(struct words *words)
{
	free(words->list);
	free(words->text);
}

static struct random row_random(uint32_t tenant, int64_t id)
{
	return (struct random){
		random_mix((uint64_t)tenant << 32 ^ (uint64_t)id),
	};
}

static size_t copy_word(const struct words *words, struct random *random,
			char *to)
{
	const struct word *word = &words->list[random_below(random, words->nr)];

	memcpy(to, words->text + word->offset, word->length);
	return word->length;
}

size_t row_name(const struct words *words, uint32_t tenant, int64_t id,
		char name[ROW_NAME_MAX + 1])
{
	struct random random = row_random(tenant, id);
	size_t length;

	length = copy_word(words, &random, name);
	name[length++] = '-';
	length += copy_word(words, &random, name + length);
	return length + (size_t)snprintf(name + length,
					 ROW_NAME_MAX + 1 - length, "-%u",
					 (unsigned int)id);
}

size_t row_body(const struct words *words, uint32_t tenant, int64_t id,
		char body[ROW_BODY_MAX])
{
	struct random random = row_random(~tenant, id);
	size_t length = copy_word(words, &random, body);

	while (length < ROW_BODY_LEAST) {
		body[length++] = ' ';
		length += copy_word(words, &random, body + length);
	}
	return length;
}

static uint64_t sum_bytes(uint64_t sum, const char *bytes, size_t length)
{
	uint64_t word;

	sum = random_mix(sum ^ length);
	for (; length >= sizeof(word); length -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		sum = random_mix(sum ^ word);
		bytes += sizeof(word);
	}
	word = 0;
	memcpy(&word, bytes, length);
	return random_mix(sum ^ word);
}

int64_t row_sum(uint32_t tenant, const struct row *row)
{
	uint64_t sum = random_mix((uint64_t)tenant + 1);

	sum = random_mix(sum ^ (uint64_t)row->id);
	sum = random_mix(sum ^ (uint64_t)row->visits);
	sum = sum_bytes(sum, row->name, row->name_length);
	return (int64_t)sum_bytes(sum, row->body, row->body_length);
}
