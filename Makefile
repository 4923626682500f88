# SPDX-License-Identifier: MIT
#
# Short names for what one wants most.  Meson does the building.
#
#	make demo [ARGS="--seconds 60"]		2,000 SQLite databases, one budget
#	make check				all tests in all kinds of builds
#	make bench [ARGS=...]			measurements
#	make kernel [ARGS=...]			in Linux 7.3: built, booted, measured
#	make check-kernel [ARGS=...]		in Linux 7.3: tests, on a debug build
#	make install [PREFIX=/usr/local] [DESTDIR=]

PREFIX = /usr/local
BUILD = build/release
WANE = $(BUILD)/tool/wane

sources = $(shell find include src core adapters tool bench test examples \
		kernel -name '*.[ch]')

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet

demo: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet tool/wane
	$(WANE) $@ $(ARGS)

bench: $(BUILD)/build.ninja
	@tool/install-deps bench
	@ninja -C $(BUILD) --quiet tool/wane bench-workers
	$(WANE) $@ $(ARGS)

check:
	@tool/install-deps check
	@test/run

kernel:
	@tool/install-deps kernel
	@kernel/measure $(ARGS)

check-kernel:
	@tool/install-deps kernel
	@kernel/check $(ARGS)

install: all
	meson configure $(BUILD) --prefix=$(PREFIX)
	meson install -C $(BUILD) $(if $(DESTDIR),--destdir $(DESTDIR))

$(BUILD)/build.ninja:
	@tool/install-deps demo
	meson setup $(BUILD) --buildtype=release -Doptimization=2 \
		-Dtests=disabled --prefix=$(PREFIX)

clean:
	rm -rf build

format:
	clang-format -i $(sources)

format-check:
	clang-format --dry-run -Werror $(sources)

.PHONY: all demo bench check kernel check-kernel install clean format format-check
