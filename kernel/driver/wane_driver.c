// SPDX-License-Identifier: GPL-2.0-only
/*
 * wane_driver.c - a file through which a test program works the shrinkers
 *
 *	fd = open("/sys/kernel/debug/wane/ctl", O_RDWR);
 *	write(fd, "walk 0 4711 12 1000", 19);	one command, in decimal numbers
 *	read(fd, line, sizeof(line));		"913000 0\n", or "error TEXT\n"
 *
 * The same source is built into a stock kernel and into one with the series, so
 * both are asked the same questions by the same program.
 *
 *	walk NID CGROUP PRIORITY TIMES	shrink_slab(): ns in all, objects freed
 *	iterate TIMES			mem_cgroup_iter() rounds: ns, steps
 *	drop TIMES			drop_slab(): ns
 *	pin CGROUP, unpin CGROUP	a reference, so that rmdir leaves it dying
 *	online CGROUP			0 once it is offline, or 1
 *	new BATCH REGISTER		a test shrinker and its list_lru: its index
 *	register I			if REGISTER was 0
 *	second I			a second list_lru on the same shrinker
 *	free I ORDER			0: shrinker, then lists; 1: lists first;
 *					what end and destroy have left of it
 *	end I				the shrinker only
 *	destroy I LRU			one of its list_lrus only
 *	add I LRU NID CGROUP COUNT	items: how many were added
 *	del I LRU NID CGROUP COUNT	how many were taken off again
 *	count I LRU NID CGROUP		items of that list
 *	install I CGROUP ATOMIC		lists without items: 0 or an errno;
 *					1: under a spinlock, interrupts off
 *	mode I MODE			a scan 0: frees, 1: stops, 2: sleeps;
 *					3: a count that found nothing sleeps
 *	wake I				sleepers go on, and it is mode 0 again
 *	calls I				calls of count and of scan so far
 *	bit I NID CGROUP		may hold items: 0 or 1
 *	deferred I NID CGROUP		work put off
 *	check				items without a bit: violations, looked at
 *	reset				frees all that was made here
 *
 * A cgroup is named by the inode number of its directory, 0 is the root.
 * Commands run side by side, each open file one at a time.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "wane_driver.h"

#define LONGEST_COMMAND 127

static void wane_reset(const long *argument, struct wane_answer *answer)
{
	wane_shrinkers_reset();
	wane_pins_reset();
	wane_say(answer, "0");
}

static const struct wane_command {
	const char *name;
	wane_command_fn *run;
	const char *arguments[WANE_ARGUMENTS];
} commands[] = {
	{ "walk", wane_walk, { "NID", "CGROUP", "PRIORITY", "TIMES" } },
	{ "iterate", wane_iterate, { "TIMES" } },
	{ "drop", wane_drop, { "TIMES" } },
	{ "pin", wane_pin, { "CGROUP" } },
	{ "unpin", wane_unpin, { "CGROUP" } },
	{ "online", wane_online, { "CGROUP" } },
	{ "new", wane_new, { "BATCH", "REGISTER" } },
	{ "register", wane_register, { "I" } },
	{ "second", wane_second, { "I" } },
	{ "free", wane_free, { "I", "ORDER" } },
	{ "end", wane_end, { "I" } },
	{ "destroy", wane_destroy, { "I", "LRU" } },
	{ "add", wane_add, { "I", "LRU", "NID", "CGROUP", "COUNT" } },
	{ "del", wane_del, { "I", "LRU", "NID", "CGROUP", "COUNT" } },
	{ "count", wane_count, { "I", "LRU", "NID", "CGROUP" } },
	{ "install", wane_install, { "I", "CGROUP", "ATOMIC" } },
	{ "mode", wane_set_mode, { "I", "MODE" } },
	{ "wake", wane_wake, { "I" } },
	{ "calls", wane_calls, { "I" } },
	{ "bit", wane_bit, { "I", "NID", "CGROUP" } },
	{ "deferred", wane_deferred, { "I", "NID", "CGROUP" } },
	{ "check", wane_check, {} },
	{ "reset", wane_reset, {} },
};

void wane_say(struct wane_answer *answer, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vscnprintf(answer->text, sizeof(answer->text) - 1, format, list);
	va_end(list);
	strcat(answer->text, "\n");
}

/* ---- One command -------------------------------------------------------- */

static const struct wane_command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

static int nr_arguments(const struct wane_command *command)
{
	int nr = 0;

	while (nr < WANE_ARGUMENTS && command->arguments[nr])
		nr++;
	return nr;
}

/* The numbers after the name, as many as the command takes. */
static bool read_arguments(const struct wane_command *command, char *rest,
			   long *argument, struct wane_answer *answer)
{
	int nr = nr_arguments(command);
	char *word;
	int i;

	for (i = 0; i < nr; i++) {
		word = strsep(&rest, " ");
		if (!word) {
			wane_say(answer, "error %s: %s is missing",
				 command->name, command->arguments[i]);
			return false;
		}
		if (kstrtol(word, 10, &argument[i]) || argument[i] < 0) {
			wane_say(answer, "error %s: %s is a number, not %.20s",
				 command->name, command->arguments[i], word);
			return false;
		}
	}
	if (rest) {
		wane_say(answer, "error %s takes %d numbers, no more",
			 command->name, nr);
		return false;
	}
	return true;
}

static void run_line(char *line, struct wane_answer *answer)
{
	long argument[WANE_ARGUMENTS] = {};
	const struct wane_command *command;
	char *name;

	line = strim(line);
	name = strsep(&line, " ");
	command = find_command(name);
	if (!command)
		wane_say(answer, "error no command is called %.20s", name);
	else if (read_arguments(command, line, argument, answer))
		command->run(argument, answer);
}

/* ---- The file ----------------------------------------------------------- */

/**
 * struct wane_file - An open file.
 * @lock: One command at a time, and its answer.
 * @answer: To the last command.
 */
struct wane_file {
	struct mutex lock;
	struct wane_answer answer;
};

static int ctl_open(struct inode *inode, struct file *file)
{
	struct wane_file *mine = kzalloc_obj(struct wane_file);

	if (!mine)
		return -ENOMEM;
	mutex_init(&mine->lock);
	file->private_data = mine;
	return 0;
}

static int ctl_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

static ssize_t ctl_write(struct file *file, const char __user *from,
			 size_t size, loff_t *position)
{
	struct wane_file *mine = file->private_data;
	char *line;

	if (size > LONGEST_COMMAND)
		return -E2BIG;
	line = memdup_user_nul(from, size);
	if (IS_ERR(line))
		return PTR_ERR(line);
	mutex_lock(&mine->lock);
	run_line(line, &mine->answer);
	mutex_unlock(&mine->lock);
	kfree(line);
	*position = 0;
	return size;
}

static ssize_t ctl_read(struct file *file, char __user *to, size_t size,
			loff_t *position)
{
	struct wane_file *mine = file->private_data;
	ssize_t nr;

	mutex_lock(&mine->lock);
	nr = simple_read_from_buffer(to, size, position, mine->answer.text,
				     strlen(mine->answer.text));
	mutex_unlock(&mine->lock);
	return nr;
}

static const struct file_operations ctl_operations = {
	.open = ctl_open,
	.release = ctl_release,
	.write = ctl_write,
	.read = ctl_read,
	.llseek = default_llseek,
};

static int __init wane_driver_init(void)
{
	struct dentry *directory = debugfs_create_dir("wane", NULL);

	debugfs_create_file("ctl", 0600, directory, NULL, &ctl_operations);
	return 0;
}
late_initcall(wane_driver_init);
