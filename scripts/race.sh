#!/bin/sh
# Prints the go flags for the race detector. The packages in `excluded` are compiled without it: they compute on texts, share nothing
# without a lock, and are up to 40 times slower with it (decision 0452). Never add a package that uses sync.Map or
# sync/atomic: the linker could use its copy of their generic code for ours, and the detector would miss their order. Our code has no
# unsafe pointers, so they are not checked (checkptr), which makes maps and builders faster.
set -eu
excluded='regexp regexp/syntax strconv unicode unicode/utf8 unicode/utf16 mvdan.cc/sh/v3/syntax go.yaml.in/yaml/v4/...'
printf -- '-race -gcflags=all=-d=checkptr=0'
for package in $excluded; do printf ' -gcflags=%s=-race=false' "$package"; done
echo
