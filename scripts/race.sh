#!/bin/sh
# Prints the flags of go for the race detector. Memory accesses of `calm` are not followed: these packages compute on texts that nobody
# changes, share nothing without a lock, and expressions alone are 40 times slower otherwise (decision 0452). Never add a package that
# uses sync.Map or sync/atomic: the linker could take its copy of their generic code for ours, and the detector would miss their order.
# Without checks of unsafe pointers, which our code has none of, maps and builders are faster.
set -eu
calm='regexp regexp/syntax strconv unicode unicode/utf8 unicode/utf16 mvdan.cc/sh/v3/syntax go.yaml.in/yaml/v4/...'
printf -- '-race -gcflags=all=-d=checkptr=0'
for package in $calm; do printf ' -gcflags=%s=-race=false' "$package"; done
echo
