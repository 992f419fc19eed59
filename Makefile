# Bloomery: a thin layer over CMake. `make help` lists the targets.
#
# Each target first fetches what it needs and the machine lacks (tools/deps), and nothing more.
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
DEPS   := tools/deps
RUN    := $(DEPS) --run
WERROR ?= OFF # ON: a warning of the compiler is an error, as in .ci/run
CONFIGURE := $(RUN) cmake --preset release -DBLM_WERROR=$(strip $(WERROR)) --log-level=WARNING > /dev/null
BUILD     := MAKEFLAGS=--no-print-directory $(RUN) cmake --build build -j $(JOBS)

.NOTPARALLEL:
.PHONY: all configure demo test bench bench-peers bench-cli bench-report lab deep lint docs amalgamation install uninstall clean distclean help

all: configure ## the library and the program: build/bloomery, build/libbloomery.{so,a}
	@$(BUILD) --target bloomery_shared bloomery_static bloomery_cli bloomery_pages

configure:
	@$(DEPS) build
	@$(CONFIGURE)

demo: all ## the first 60 seconds
	@build/bloomery demo

test: ## every test of a release build; ends with seconds and "N passed, N failed" (docs/testing.md)
	@mkdir -p build && date +%s > build/test.begin
	@$(DEPS) build test
	@$(CONFIGURE)
	@$(BUILD)
	@$(RUN) tools/run_tests build -j $(JOBS)

bench: all ## every kind's nanoseconds, bits per key, rates (ARGS="..."); promised rows; uniq (8 minutes)
	@build/bloomery bench $(ARGS)
	@$(BUILD) --target bloomery_rows > /dev/null
	@build/bloomery_rows
	@tools/bench_uniq || : # SHORT is printed, not an error of make

bench-peers: ## the library next to libbloom: ratios, wanted, PASS or SHORT (3 minutes)
	@$(DEPS) build peers
	@$(CONFIGURE)
	@$(BUILD) --target bloomery_peers > /dev/null
	@$(RUN) build/bloomery_peers

bench-cli: all ## the command line next to sort -u, gawk, grep -Fxf, join, Debian's bloom, and BEFORE=PATH (10 minutes)
	@$(DEPS) peers-cli
	@$(RUN) tools/bench_cli

bench-report: all ## all three benches, and their results into docs/benchmarks.md (20 minutes)
	@$(DEPS) peers peers-cli
	@$(CONFIGURE)
	@$(BUILD) --target bloomery_rows bloomery_peers > /dev/null
	@$(RUN) tools/bench_report build

lab: all ## what the papers claim, measured again: build/lab has the rows and plots (5 minutes)
	@$(DEPS) plots
	@$(RUN) build/bloomery lab run all -F -o build/lab

deep: ## everything for all kinds, and what searches (hours; tools/deep KIND: half an hour)
	@tools/deep

lint: ## layout, analyser, layers, shell scripts, commit messages
	@$(DEPS) build test lint
	@$(CONFIGURE)
	@$(RUN) tools/lint build $(JOBS)

docs: all ## the pages that are made from the sources
	@$(RUN) tools/docs.sh

amalgamation: ## the library as two files: build/amalgamation/bloomery.{c,h}
	@tools/amalgamate build/amalgamation

install: all ## into PREFIX (/usr/local): program, library, headers, manual, completions
	@$(RUN) tools/install.sh build "$(PREFIX)"
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ldconfig

uninstall: ## removes what the last install wrote
	@tools/install.sh --undo build

clean: ## removes all but what tools/deps fetched
	@[ ! -d build ] || find build -mindepth 1 -maxdepth 1 ! -name deps -exec rm -rf {} +

distclean: ## removes build/
	@rm -rf build

help:
	@sed -n 's/^\([a-z-]*\):[^#]*## */\1 /p' Makefile | while read -r target what; do \
	    printf 'make %-13s %s\n' "$$target" "$$what"; done
