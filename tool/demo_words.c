// SPDX-License-Identifier: MIT
/*
 * demo_words.c - what a run has shown, in a few plain sentences
 *
 * Every word that judges (more, less, within) is chosen by the numbers of this
 * run, so the sentences tell what was seen also where it speaks against wane.
 *
 * A paragraph is collected piece by piece and printed in lines of even width.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "demo.h"
#include "say.h"

#define LINE_WIDTH 78

/* Less than this apart, two numbers count as equal: one part in 50. */
#define SAME 0.02

/* ---- Paragraphs ---------------------------------------------------------- */

struct paragraph {
	char text[1024];
	size_t length;
};

static void add(struct paragraph *paragraph, const char *format, ...)
	PRINTF_LIKE(2);

static void add(struct paragraph *paragraph, const char *format, ...)
{
	size_t room = sizeof(paragraph->text) - paragraph->length;
	va_list args;
	int added;

	va_start(args, format);
	added = vsnprintf(paragraph->text + paragraph->length, room, format,
			  args);
	va_end(args);
	if (added > 0)
		paragraph->length += (size_t)added < room ? (size_t)added
							  : room - 1;
}

/* How much of @text goes on a line: up to the last space that fits. */
static size_t line_length(const char *text)
{
	size_t length = strlen(text);

	if (length <= LINE_WIDTH)
		return length;
	for (length = LINE_WIDTH; length > 0 && text[length] != ' ';)
		length--;
	return length ? length : LINE_WIDTH;
}

static void print(const struct paragraph *paragraph)
{
	const char *text = paragraph->text;

	while (*text) {
		size_t length = line_length(text);

		printf("%.*s\n", (int)length, text);
		text += length;
		text += strspn(text, " ");
	}
}

/* ---- Pieces -------------------------------------------------------------- */

static double mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

static double idle_kib(const struct demo_run *run, enum demo_mode mode)
{
	return demo_idle_bytes(&run->total[mode]) / 1024;
}

static double slow_us(const struct demo_run *run, enum demo_mode mode)
{
	return histogram_quantile(&run->total[mode].latency, 0.99) / 1000;
}

/* "1.20 times as many", or "about as many". */
static void add_times(struct paragraph *paragraph, double value, double of,
		      const char *as)
{
	double times = of > 0 ? value / of : 0;

	if (times > 1 - SAME && times < 1 + SAME)
		add(paragraph, "about %s", as);
	else
		add(paragraph, "%.2f times %s", times, as);
}

static double times_as_many(const struct demo_run *run, enum demo_mode mode,
			    enum demo_mode of)
{
	return demo_rate(&run->total[mode]) / demo_rate(&run->total[of]);
}

/* ---- Sentences ----------------------------------------------------------- */

static void tell_hits(struct paragraph *paragraph, const struct demo_run *run)
{
	double split = demo_hit_rate(&run->total[DEMO_SPLIT].pages);
	double wane = demo_hit_rate(&run->total[DEMO_WANE].pages);

	add(paragraph,
	    "With the same budget, wane found %.1f %% of pages in memory, the "
	    "even split %.1f %%: ",
	    wane, split);
	if (wane <= split)
		add(paragraph, "wane was no better.");
	else if (wane >= 100)
		add(paragraph, "wane had to read nothing.");
	else
		add(paragraph, "the even split had to read %.1f times as much.",
		    (100 - split) / (100 - wane));
}

static void tell_rates(struct paragraph *paragraph, const struct demo_run *run)
{
	add(paragraph, "wane served ");
	add_times(paragraph, times_as_many(run, DEMO_WANE, DEMO_SPLIT), 1,
		  "as many");
	add(paragraph, " queries per second as the even split, and ");
	add_times(paragraph, times_as_many(run, DEMO_WANE, DEMO_DEFAULT), 1,
		  "as many");
	add(paragraph,
	    " as SQLite without a budget.  One query in a hundred took longer "
	    "than %.1f us; %.1f us with the even split, %.1f us without a "
	    "budget.",
	    slow_us(run, DEMO_WANE), slow_us(run, DEMO_SPLIT),
	    slow_us(run, DEMO_DEFAULT));
}

static void tell_disk(struct paragraph *paragraph, const struct demo_run *run)
{
	uint64_t bytes = 0, misses = 0;

	for (int mode = 0; mode < DEMO_MODES; mode++) {
		bytes += run->total[mode].disk_bytes;
		misses += run->total[mode].pages.misses;
	}
	add(paragraph,
	    "%" PRIu64 " pages were missed in the measured time of all four, "
	    "and %.1f MiB came from the disk in the whole run; what did not, "
	    "the kernel had in its own cache.",
	    misses, mib(bytes));
}

static void tell_memory(struct paragraph *paragraph, const struct demo_run *run)
{
	uint64_t budget = run->options.budget;
	uint64_t wane = run->total[DEMO_WANE].cache_peak;
	uint64_t without = run->total[DEMO_DEFAULT].cache_peak;

	add(paragraph,
	    "wane's page caches took %.1f MiB at most, %s the budget of %.1f "
	    "MiB; without one SQLite took %.1f MiB, ",
	    mib(wane), wane <= budget ? "within" : "OVER", mib(budget),
	    mib(without));
	add_times(paragraph, (double)without, (double)budget, "as much");
	add(paragraph, ".");
}

static void tell_idle(struct paragraph *paragraph, const struct demo_run *run)
{
	if (!run->total[DEMO_WANE].idle)
		return;
	add(paragraph,
	    "A tenant that asked nothing in the last round kept %.1f KiB with "
	    "wane, %.1f KiB with the even split, %.1f KiB without a budget.",
	    idle_kib(run, DEMO_WANE), idle_kib(run, DEMO_SPLIT),
	    idle_kib(run, DEMO_DEFAULT));
}

static void tell_noisy(struct paragraph *paragraph, const struct demo_run *run)
{
	const struct demo_result *noisy = &run->total[DEMO_NOISY];

	add(paragraph,
	    "The noisy tenant %s its max of %.0f MiB (peak %.2f MiB) in %" PRIu64
	    " scans of its database; the others found %.1f %% of their pages "
	    "meanwhile, and %.1f %% without it.  It had a thread of its own on "
	    "the same processors; the others got ",
	    noisy->noisy_peak <= DEMO_NOISY_MAX ? "never passed" : "PASSED",
	    mib(DEMO_NOISY_MAX), mib(noisy->noisy_peak), noisy->scans,
	    demo_hit_rate(&noisy->pages),
	    demo_hit_rate(&run->total[DEMO_WANE].pages));
	add_times(paragraph, times_as_many(run, DEMO_NOISY, DEMO_WANE), 1,
		  "as many");
	add(paragraph, " queries per second answered as without it.");
}

static void tell_protected(struct paragraph *paragraph,
			   const struct demo_run *run)
{
	const struct demo_result *noisy = &run->total[DEMO_NOISY];
	double with = demo_hit_rate(&noisy->protected);
	double without = demo_hit_rate(&noisy->twin);
	const char *verdict = "the min made no difference";

	if (with > without)
		verdict = "the min kept its pages";
	if (with < without)
		verdict = "the min did not help";
	add(paragraph,
	    "The rarely visited tenant found %.1f %% of its pages with a min "
	    "of %.0f MiB, and its twin %.1f %% without one: %s.",
	    with, mib(DEMO_PROTECTED_MIN), without, verdict);
}

static void tell_checks(struct paragraph *paragraph, const struct demo_run *run)
{
	uint64_t queries = 0, wrong = 0;

	for (int mode = 0; mode < DEMO_MODES; mode++) {
		queries += run->total[mode].queries;
		wrong += run->total[mode].wrong;
	}
	add(paragraph,
	    "Of the answers to %" PRIu64 " measured queries and to those of "
	    "the warm-ups, all checked, ",
	    queries);
	if (wrong)
		add(paragraph, "%" PRIu64 " were WRONG", wrong);
	else
		add(paragraph, "none was wrong");
	add(paragraph, "; PRAGMA quick_check looked at %u files.",
	    run->checked);
}

void demo_sentences(const struct demo_run *run)
{
	static void (*const tell[])(struct paragraph * paragraph,
				    const struct demo_run *run) = {
		tell_hits, tell_rates, tell_disk,      tell_memory,
		tell_idle, tell_noisy, tell_protected, tell_checks,
	};

	for (size_t i = 0; i < sizeof(tell) / sizeof(tell[0]); i++) {
		struct paragraph paragraph = { .length = 0 };

		tell[i](&paragraph, run);
		print(&paragraph);
	}
}
