#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tool.sh - what `wane` says to bad input, and what it leaves behind
#
#	test/tool.sh path/to/wane		or WANE=path/to/wane
#
# Prints TAP.  Every mistake must end in one line on stderr that begins with
# "wane: ", with exit code 2 for wrong usage and 1 for the rest, and what is
# left on the disk must not be trusted wrongly by the next run.

wane=${1:-${WANE:?path of wane}}
case $wane in
/*) ;;
*) wane=$PWD/$wane ;;
esac

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
trap 'exit 130' INT TERM
cd "$place" || exit 99
unset XDG_CACHE_HOME
HOME=$place/home
export HOME

number=0
failed=0

# result NAME CODE: CODE 0 is ok.
result() {
	number=$((number + 1))
	if [ "$2" = 0 ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		[ -z "$code" ] || echo "# exit code $code"
		sed 's/^/# /' err
		failed=1
	fi
}

skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# run ARGUMENTS: leaves $code, and the files out and err.
run() {
	timeout -k 10 240 "$wane" "$@" >out 2>err
	code=$?
}

# Progress lines are no complaints.
complaints() {
	grep '^wane: ' err
}

# says NAME CODE TEXT ARGUMENTS: run ends with CODE and one line with TEXT.
says() {
	name=$1
	wanted=$2
	text=$3
	shift 3
	run "$@"
	said "$name" "$wanted" "$text"
}

said() {
	[ "$code" = "$2" ] && [ "$(complaints | wc -l)" = 1 ] &&
		complaints | grep -qF -e "$3"
	result "$1" $?
}

small="--tenants 12 --threads 2 --seconds 0.2 --budget 4M --dir data"

# demo NAME: a small run ends well.
demo() {
	run demo $small
	[ "$code" = 0 ] && ! complaints
	result "$1" $?
}

# ---- Usage ------------------------------------------------------------------

says "no command" 2 "which command"
says "unknown command" 2 "unknown command 'foo'" foo
says "help for an unknown command" 2 "unknown command 'foo'" help foo
says "too much for help" 2 "one command" help demo bench
says "too much for version" 2 "no argument" version 1
says "demo-child is not for people" 2 "is for 'wane demo'" demo-child </dev/null
says "unknown option" 2 "unknown option '--foo'" demo --foo
says "unknown short option" 2 "unknown option" demo -x
says "option without its value" 2 "needs a value" demo --tenants
says "one argument too many" 2 "'foo' is one argument too many" demo foo
says "0 tenants" 2 "--tenants: '0'" demo --tenants 0
says "negative tenants" 2 "--tenants: '-1'" demo --tenants -1
says "too many tenants" 2 "--tenants:" demo --tenants 1000001
says "no number" 2 "--tenants: 'many'" demo --tenants many
says "text behind a number" 2 "--tenants: '3x'" demo --tenants 3x
says "empty number" 2 "--tenants: ''" demo --tenants ""
says "overflowing number" 2 "--seed:" demo --seed 99999999999999999999
says "0 threads" 2 "--threads: '0'" demo --threads 0
says "more threads than tenants" 2 "--threads: 3" demo --tenants 2 --threads 3
says "0 seconds" 2 "--seconds: '0'" demo --seconds 0
says "seconds not a number" 2 "--seconds: 'nan'" demo --seconds nan
says "unknown unit" 2 "--budget: '64X'" demo --budget 64X
says "two units" 2 "--budget: '64MB'" demo --budget 64MB
says "overflowing size" 2 "--budget:" demo --budget 99999999999G
says "budget below the pinned pages" 2 "give at least" demo --budget 1M
says "empty directory name" 2 "--dir:" demo --dir ""
says "bench: unknown option" 2 "unknown option" bench --foo

least=$("$wane" demo --tenants 12 --budget 1K 2>&1 |
	sed -n 's/.*at least \([0-9]*K\)$/\1/p')
says "just below the least budget" 2 "give at least $least" \
	demo --tenants 12 --budget $((${least%K} - 1))K
run demo --tenants 12 --seconds 0.2 --budget "$least" --dir data
[ "$code" = 0 ] && ! complaints
result "the least budget is enough" $?
rm -rf data

for command in "help" "help demo" "help bench" "--help" "version"; do
	run $command
	[ "$code" = 0 ] && [ -s out ] && [ ! -s err ]
	result "$command" $?
done

# ---- What the system does not allow -----------------------------------------

(
	ulimit -n 1024
	timeout 60 "$wane" demo --tenants 100000 --budget 1G --dir data
) >out 2>err
code=$?
said "100,000 tenants on 1,024 files" 1 "100000 tenants need"

if [ -e data ]; then false; else true; fi
result "and nothing was made" $?

(
	ulimit -S -n 64
	exec timeout -k 10 240 "$wane" demo $small --tenants 60
) >out 2>err
code=$?
[ "$code" = 0 ]
result "the soft limit of files is raised" $?

: >file
says "the directory is a file" 1 "cannot write to file" demo --dir file
says "a directory that cannot be made" 1 "cannot write to /proc/" \
	demo --dir /proc/wane-demo
says "--json cannot be written" 1 "--json: cannot write" \
	demo $small --json /proc/wane.json
says "--json in no directory" 1 "--json: cannot write" \
	demo $small --json nowhere/file

HOME=/proc TMPDIR=$place/tmp timeout 60 "$wane" demo --tenants 12 \
	--seconds 0.1 --budget 4M >out 2>err
code=$?
[ "$code" = 0 ] && [ -e tmp/wane-demo-*/t000000.db ]
result "TMPDIR is used when HOME cannot be" $?

# mounted SIZE COMMAND: run it where tiny/ is a file system of SIZE.
mounted() {
	mkdir -p tiny
	size=$1
	shift
	unshare -rm sh -c 'mount -t tmpfs -o size="$1" none tiny &&
		shift && exec "$@"' sh "$size" "$@"
}

without_words='mount -t tmpfs none /usr/share/dict && exec "$@"'
if unshare -rm sh -c "$without_words" sh true 2>/dev/null; then
	unshare -rm sh -c "$without_words" sh "$wane" demo $small >out 2>err
	code=$?
	said "no word list" 1 "install the package wamerican"
else
	skip "no word list" "no mounts here"
fi

if mounted 1m true 2>/dev/null; then
	mounted 1m timeout 60 "$wane" demo --dir tiny >out 2>err
	code=$?
	said "a disk that is too small" 1 "MiB free"
	# A neighbour takes the room that was free at first.
	mounted 24m sh -c '
		(until [ -e tiny/noisy.db.tmp ]; do :; done
		head -c 24m /dev/zero >tiny/file) 2>/dev/null &
		timeout 60 "$0" demo --tenants 1 --threads 1 --dir tiny
		code=$?
		ls tiny >list
		exit $code' "$wane" >out 2>err
	code=$?
	said "a disk that fills up" 1 "disk is full"
	! grep -q tmp list
	result "and no half-made file is left" $?
else
	skip "a disk that is too small" "no mounts here"
	skip "a disk that fills up" "no mounts here"
	skip "and no half-made file is left" "no mounts here"
fi

# ---- Files ------------------------------------------------------------------

demo "a small run"
before=$(stat -c %i data/t000003.db)
demo "a second run"
[ "$(stat -c %i data/t000003.db)" = "$before" ]
result "reuses the files" $?

run demo $small --json out.json
[ "$code" = 0 ] && grep -q '"exit_code": 0' out.json &&
	grep -q '"noisy_peak"' out.json
result "--json writes all numbers" $?

: >data/t000099.db.tmp
: >data/t000099.db.tmp-journal
demo "a run after one that was killed"
[ ! -e data/t000099.db.tmp ]
result "removes its temporary file" $?

cp data/t000003.db saved.db
head -c 100 /dev/urandom >noise
dd if=noise of=data/t000003.db conv=notrunc 2>/dev/null
says "a header of noise" 1 "data/t000003.db is damaged" demo $small
cmp -s noise - <<-END || head -c 100 data/t000003.db | cmp -s - noise
END
result "and the file is not overwritten" $?

head -c 8192 saved.db >data/t000003.db
says "a file cut short" 1 "data/t000003.db is damaged" demo $small
: >data/t000003.db
says "an empty file" 1 "data/t000003.db is damaged" demo $small

cp saved.db data/t000003.db
dd if=noise of=data/t000003.db bs=4096 seek=1 conv=notrunc 2>/dev/null
says "a page of noise" 1 "data/t000003.db" demo $small
grep -q "delete" err
result "says to delete it" $?

cp data/t000004.db data/t000003.db
demo "another tenant's file is made again"
! cmp -s data/t000003.db data/t000004.db
result "and is the right one then" $?

rm data/t000003.db
echo journal >data/t000003.db-journal
demo "a deleted file is made again"

# ---- Ends -------------------------------------------------------------------

# serve: begin a long run; leaves its $demo, and the files long.out, long.err.
serve() {
	rm -f long.err
	# A shell has its background jobs ignore SIGINT; env undoes that.
	env --default-signal=INT "$wane" demo $small --seconds 60 \
		>long.out 2>long.err &
	demo=$!
	tries=0
	until grep -q 'opening connections: 100' long.err 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || break
		sleep 0.1
	done
}

# ended: wait for that run.
ended() {
	wait $demo 2>/dev/null
	code=$?
	cp long.err err
}

serve
says "a second demo in one directory" 1 "in use" demo --dir data
kill -INT $demo
ended
[ "$code" = 130 ] && ! complaints
result "SIGINT ends it with 130" $?
demo "the files are whole after SIGINT"

serve
kill -TERM $demo
ended
[ "$code" = 130 ] && ! complaints
result "SIGTERM ends it with 130" $?
demo "the files are whole after SIGTERM"

serve
kill -KILL "$(cut -d' ' -f3 /proc/$demo/task/$demo/children)"
ended
said "a child that is killed" 1 "killed by signal 9"

serve
kill -KILL $demo
ended
# Its children hold the lock until they have noticed.
tries=0
while
	run demo $small
	grep -q 'in use' err
do
	tries=$((tries + 1))
	[ $tries -lt 60 ] || break
	sleep 0.5
done
[ "$code" = 0 ] && ! complaints
result "the files are whole after the demo itself was killed" $?

echo "1..$number"
exit $failed
