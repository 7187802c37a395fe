# Every habit of this project is one word here; the work is in scripts/. The first two install what
# is missing by themselves, so they are all a new machine needs.

FUZZ_SECONDS ?= 60
SOAK_ROUNDS ?= 200
SOAK_COMMANDS ?= 100000
SOAK_PROCESSES ?= 10000
LOAD_SECONDS ?= 600
LOAD_CLIENTS ?= 48
PREFIX ?= /usr/local
DESTDIR ?=
PART ?=
export FUZZ_SECONDS DESTDIR

.DEFAULT_GOAL := help
.PHONY: help run test matrix build install uninstall dist deb tarball wheel packages release bench lint fmt asan tsan soak load fuzz fresh clean

help:
	@echo 'make run      install what is missing, build the program, show a guided demo'
	@echo 'make test     install what is missing, build, start the engines, run every test'
	@echo 'make matrix   only the contract kit: every case at every target'
	@echo 'make build    every program, for every architecture; leaves build/talaria'
	@echo 'make install  installs what was built: program, C++ library, headers; PREFIX=/usr/local DESTDIR='
	@echo 'make uninstall removes that again; PREFIX=/usr/local DESTDIR='
	@echo 'make dist     build/packages: the source, with which everything can be built'
	@echo 'make deb      build/packages: packages for Debian, built in a bare Debian tree'
	@echo 'make tarball  build/packages: a program for every Linux, without dependencies'
	@echo 'make wheel    build/packages: the Python package, with the program and without'
	@echo 'make packages all of these, installed and used in trees of several systems'
	@echo 'make release  everything a release needs: CONTRIBUTING.md describes it'
	@echo 'make bench    the table of measurements'
	@echo 'make lint     formatting, the layer check, the documents, clang-tidy; PART=2/4: a quarter'
	@echo 'make fmt      format the sources'
	@echo 'make asan     every test under address and undefined-behaviour sanitizers; PART=2/4: a quarter'
	@echo 'make tsan     every test under the thread sanitizer; PART=2/4: a quarter'
	@echo 'make soak     a long run, compressed: SOAK_COMMANDS (100000), SOAK_PROCESSES (10000), then'
	@echo '              rounds of kills: SOAK_ROUNDS (200) of each'
	@echo 'make load     clients that come and go at a gateway: LOAD_SECONDS (600), LOAD_CLIENTS (48)'
	@echo 'make fuzz     every fuzz target for FUZZ_SECONDS (60) each'
	@echo 'make fresh    make run and make test in a bare Debian tree'
	@echo 'make clean    remove what was built (caches stay; remove build/ for those too)'

run:
	@scripts/install-deps build
	@scripts/build release talaria
	@scripts/demo

build:
	@scripts/install-deps build aarch64
	@scripts/build --aarch64 release talaria_programs talaria_libraries

# Neither builds nor runs a package manager: it may be run by root.
install:
	@test -e build/talaria || { echo "install: nothing is built yet; run 'make build'" >&2; exit 1; }
	@cmake --install build/release --prefix "$(abspath $(PREFIX))"

uninstall:
	@scripts/uninstall "$(abspath $(PREFIX))"

# What the engines need is downloaded while the compiler runs. What fails there is tried again, and
# reported, when they are started.
test:
	@scripts/install-deps build aarch64 modal engines test
	@mkdir -p build; tests/engines/all fetch build/engines >build/fetch.log 2>&1 & \
	  scripts/build --aarch64 release; status=$$?; wait; exit $$status
	@scripts/test release

matrix:
	@scripts/install-deps build aarch64 modal engines test
	@scripts/build --aarch64 release talaria_programs kit_test
	@scripts/matrix

asan tsan:
	@scripts/install-deps build aarch64 modal engines test sanitize
	@scripts/build --aarch64 $@
	@scripts/test $@ $(PART:%=--part %)

soak:
	@scripts/install-deps build aarch64 test
	@scripts/build --aarch64 release talaria chaos_test
	@tests/soak/soak.py build/talaria --commands $(SOAK_COMMANDS) --processes $(SOAK_PROCESSES)
	@TALARIA_ROUNDS=$(SOAK_ROUNDS) build/release/tests/chaos_test --gtest_filter='BackgroundKilledTest.*'

load:
	@scripts/install-deps build test
	@scripts/build release talaria_programs
	@tests/gateway/load.py build/talaria --seconds $(LOAD_SECONDS) --clients $(LOAD_CLIENTS)

bench:
	@scripts/install-deps build engines
	@scripts/bench

lint:
	@scripts/install-deps build aarch64 modal lint
	@scripts/lint $(PART:%=--part %)

fmt:
	@scripts/install-deps lint
	@scripts/lint --fix

fuzz:
	@scripts/install-deps build sanitize
	@scripts/fuzz

dist:
	@scripts/packages dist

tarball:
	@scripts/install-deps build aarch64 modal
	@scripts/packages tarball

wheel:
	@scripts/install-deps build aarch64 modal
	@scripts/packages wheel

deb:
	@scripts/install-deps fresh
	@scripts/packages deb

packages:
	@scripts/install-deps build aarch64 modal fresh
	@scripts/packages all

release:
	@scripts/release

fresh:
	@scripts/install-deps fresh
	@scripts/fresh

clean:
	rm -rf build/release build/debug build/asan build/tsan build/fuzz build/lint build/talaria
