/* SPDX-License-Identifier: MIT */
/*
 * demo_text.h - what stands in the rows of the demo's databases
 *
 * A row is made from the numbers of its tenant and its own alone, so any
 * process can tell what another has written.
 */
#ifndef WANE_TOOL_DEMO_TEXT_H
#define WANE_TOOL_DEMO_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define WORDS_FILE "/usr/share/dict/words"
#define WORDS_PACKAGE "wamerican"

/* Bytes of a name and of a body, without the terminating zero. */
#define ROW_NAME_MAX 40
#define ROW_BODY_LEAST 200
#define ROW_BODY_MAX 224

struct word {
	uint32_t offset;
	uint32_t length;
};

/*
 * struct words - The plain words of the list, in its order.
 * @digest: Differs where the words do.
 */
struct words {
	char *text;
	struct word *list;
	uint32_t nr;
	uint32_t digest;
};

/* Return: 0, or EXIT_FAILED when it has said what is missing. */
int words_load(struct words *words);
void words_destroy(struct words *words);

/*
 * struct row - A row as it is asked for and as it is found.
 * @visits: How often it was updated.
 * @sum: The check value that is stored with it.
 */
struct row {
	int64_t id;
	const char *name;
	size_t name_length;
	const char *body;
	size_t body_length;
	int64_t visits;
	int64_t sum;
};

/* Write the name of a row and a zero.  Return: its length. */
size_t row_name(const struct words *words, uint32_t tenant, int64_t id,
		char name[ROW_NAME_MAX + 1]);

/* Write the body of a row; no zero.  Return: its length. */
size_t row_body(const struct words *words, uint32_t tenant, int64_t id,
		char body[ROW_BODY_MAX]);

/* The check value of a row: of all else that is in it, and of its tenant. */
int64_t row_sum(uint32_t tenant, const struct row *row);

#endif /* WANE_TOOL_DEMO_TEXT_H */
