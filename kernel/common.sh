# SPDX-License-Identifier: GPL-2.0-only
#
# What the scripts that build kernels share: where things are, how a kernel is
# made, how one ends with an error.  Read by them, not run.

set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
built=$root/build/kernel
logs=$built/log
version=7.3.4
pristine=$built/linux-$version
mkdir -p "$logs"

# Names, times and paths that would differ from run to run stay out of what is
# compiled, so that trees and clones find each other's objects in the cache.
export KBUILD_BUILD_TIMESTAMP='Mon Nov 30 00:00:00 UTC 2026'
export KBUILD_BUILD_USER=wane KBUILD_BUILD_HOST=wane KBUILD_BUILD_VERSION=1
export CCACHE_DIR="${CCACHE_DIR:-$HOME/.cache/wane/ccache}"
export CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=8G CCACHE_SLOPPINESS=time_macros
export LC_ALL=C

die() {
	echo "kernel/$(basename "$0"): $*" >&2
	exit 1
}

usage() { # what this script is called with
	echo "usage: kernel/$(basename "$0") $*" >&2
	exit 2
}

# make_in TREE ARGUMENT...: the kernel's own make
make_in() {
	in=$1
	shift
	make -C "$in" ARCH=x86 CC="ccache gcc" HOSTCC="ccache gcc" "$@"
}

# tree_of VARIANT KIND: where its sources are, and are built
tree_of() {
	case $1 in
	step-*) tree_name=step ;;
	*) tree_name=$1 ;;
	esac
	case $2 in
	base) echo "$built/$tree_name" ;;
	*) echo "$built/$tree_name-$2" ;;
	esac
}

# fragments KIND: "debug" is base.config and debug.config, "debug+rt" all three
fragments() {
	for fragment in base $(echo "$1" | sed 's/^base$//; s/+/ /g'); do
		[ -f "$root/kernel/config/$fragment.config" ] ||
			die "no kind '$fragment' of build; there are" \
				$(cd "$root/kernel/config" && ls | sed 's/\..*//')
		echo "$root/kernel/config/$fragment.config"
	done
}

sum() { # of standard input
	sha256sum | cut -d ' ' -f 1
}
