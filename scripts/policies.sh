#!/usr/bin/env bash
# Tests policy packs in GitHub Actions, and checks an action if one is named: annotations at the lines, and a summary. It needs jq.
set -euo pipefail
nomograph="${NOMOGRAPH:-nomograph}"
summary="${GITHUB_STEP_SUMMARY:-/dev/null}"
out="$(mktemp)"
err="$(mktemp)"
trap 'rm -f "$out" "$err"' EXIT

# of defines the jq functions that write an annotation. They escape percent signs and line breaks, in properties also commas and colons.
of='def text: gsub("%"; "%25") | gsub("\r"; "%0D") | gsub("\n"; "%0A");
    def property: text | gsub(":"; "%3A") | gsub(","; "%2C");
    def annotation(level; file; line; column; title; message):
      "::\(level) file=\(file | property),line=\(line),col=\(column),title=\(title | property)::\(message | text)";'

arguments=(--without-graph)
if [ -n "${WITH:-}" ]; then
  for name in $WITH; do arguments+=(--with "$name"); done
fi
if [ -n "${MIN_COVERAGE:-}" ]; then arguments+=(--min-coverage "$MIN_COVERAGE"); fi
code=0
# shellcheck disable=SC2086 # packs are separated by spaces
env -u NOMOGRAPH_URL "$nomograph" policy test "${arguments[@]}" -o json -- $PACKS >"$out" 2>"$err" || code=$?

if [ -s "$out" ] && jq -e .cases "$out" >/dev/null 2>&1; then
  jq -r "$of"' .cases[] | select(.problem) | (.location | capture("^(?<file>.*):(?<line>[0-9]+):(?<column>[0-9]+)$")) as $at
    | annotation("error"; $at.file; $at.line; $at.column; "\(.pack): \(.name)"; .problem)' "$out"
  jq -r '"## Policies\n\n| pack | case | result |\n|---|---|---|",
    (.cases[] | "| \(.pack) | \(.name | gsub("[|\n]"; " ")) | \(if .passed then "passed" elif .problem then "**failed**: \(.problem | gsub("\\|"; "\\|") | gsub("\n *"; "<br>"))" else "not run" end) |"),
    "\n\(.passed) passed, \(.failures) failed, coverage \(.coverage.percent) %"' "$out" >>"$summary"
else
  jq -r "$of"' if .details.problems then .details.problems[] | annotation("error"; .file // ""; .line // 1; .column // 1; "Invalid policy pack"; .message)
    else "::error title=Policies::\(.message | text)" end' "$err" 2>/dev/null || cat "$err"
  { printf '## Policies\n\nThe packs could not be tested:\n\n```\n'; jq -r '.message // empty' "$err" 2>/dev/null || cat "$err"; printf '```\n'; } >>"$summary"
  [ "$code" -ne 0 ] || code=1
fi

if [ -n "${ACTION:-}" ]; then
  checked=0
  "$nomograph" policy check "${DESCRIPTION:-$ACTION}" --name "$ACTION" -o json >"$out" 2>"$err" || checked=$?
  if [ -s "$out" ] && jq -e 'has("allowed")' "$out" >/dev/null 2>&1; then
    jq -r "$of"' (.violations[] | "::error title=\("Policy \(.guardrail_id)" | property)::\(.message | text)"),
      (.warnings[] | "::warning title=\("Policy \(.guardrail_id)" | property)::\(.message | text)")' "$out"
    jq -r '"\n## \(if .allowed then "Allowed" else "Denied" end)\n\nVerdict `\(.verdict_id)`\n", (.violations[], .warnings[] | "- \(.guardrail_id): \(.message)")' "$out" >>"$summary"
  else
    echo "::error title=Policy check::The action could not be checked, so it is not allowed"
    cat "$err"
    { printf '\n## Not checked\n\nThe action could not be checked, so it is not allowed:\n\n```\n'; jq -r '.message // empty' "$err" 2>/dev/null || cat "$err"; printf '```\n'; } >>"$summary"
    [ "$checked" -ne 0 ] || checked=1
  fi
  [ "$checked" -eq 0 ] || code=1
fi
exit "$code"
