#!/bin/sh
# Makes archive.jsonl: run it in a copy of files/ with `nomograph` in PATH and an empty home.
set -e
export NOMOGRAPH_AGENT=ana NOMOGRAPH_PROJECT=acme/shop NOMOGRAPH_APPROVAL_DELAY=0s
id() { grep -oE '"(id|uid|verdict_id|session_id|intent_id)": "[^"]+"' | head -1 | cut -d'"' -f4; }
nomograph policy apply core ./shop.yaml
nomograph atlas load ./billing.yaml
nomograph import sessions notes.md --project acme/shop
nomograph import adr adr --project acme/shop
log() { nomograph decision log -o json "$@" | id; }
table=$(log "Use a table as the queue of orders" --category architecture --stakes medium --confidence 0.8 --reason "analysis: one less thing to run" --reason "pattern: as before" --tags storage,queue --pattern "Boring technology" --feature orders --context "Orders arrive in bursts")
broker=$(log "Use a broker as the queue of orders" --category architecture --stakes high --confidence 0.9 --reason "authority: the vendor says so" --tags queue)
cache=$(log "Cache prices for 90 minutes" --category architecture --stakes low --confidence 0.7 --reason "empirical: measured" --reason "analysis: prices change rarely" --tags cache --visibility shared)
tests=$(log "Run the tests before each release" --category process --stakes medium --confidence 0.95 --reason "empirical: two releases failed" --review-in 7d)
secret=$(log "Store tokens as hashes" --category security --stakes critical --confidence 0.85 --reason "analysis: a dump shows no token" --visibility project)
lint=$(NOMOGRAPH_AGENT=bo log "Lint the prose" --category tooling --stakes low --confidence 0.6 --reason "intuition: it helps readers")
gone=$(NOMOGRAPH_AGENT=bo log "Write the shop in Fortran" --category tooling --stakes low --confidence 0.2 --reason "intuition: it is fast")
other=$(NOMOGRAPH_PROJECT=acme/mill log "Grind at night" --category process --stakes low --confidence 0.5 --reason "constraint: power is cheap at night")
nomograph decision link "$table" "$broker" --type supersedes
nomograph decision link "$cache" "$table" --type depends_on
nomograph decision link "$tests" "$table" --type relates_to
nomograph decision review "$broker" failure --actual-result "It lost messages" --lessons "Measure before"
nomograph decision review "$table" success --actual-result "No message was lost" --lessons "Few parts are good parts"
nomograph decision review "$cache" partial --actual-result "Some prices were old"
NOMOGRAPH_AGENT=bo nomograph decision review "$lint" success --actual-result "Fewer questions"
nomograph decision update "$cache" --tags cache,prices --change-reason "it is about prices"
nomograph decision retract "$gone" --reason "a joke"
nomograph decision preserve "$secret"
nomograph decision think "The replica lags by two seconds" --on "$table"
nomograph memory remember "The cache of prices expires after 5 minutes" --subject "cache expiry"
nomograph memory remember "The cache of prices expires after 90 minutes" --subject "cache expiry"
nomograph memory remember "Orders are numbered by the shop" --visibility shared
allowed=$(nomograph policy check -o json "Roll out 1.0" --category rollout --confidence 0.95 --context '{"percent": 5}' | id)
denied=$(nomograph policy check -o json "Roll out 2.0" --category rollout --confidence 0.8 --context '{"percent": 50}' --agent bo | id) || true
dropped=$(nomograph policy check -o json "Drop the table of the rehearsal" --agent bo | id) || true
nomograph policy check "Rename it" --stakes critical --confidence 0.9 || true
nomograph policy check "Send a mail" --name mail.send
nomograph verdict appeal "$dropped" "It is a copy for the test" --agent bo
nomograph session start "Pay a refund" --agent billing-bot --session refunds-1
nomograph session context "how refunds are made" --agent billing-bot
nomograph session report refund.pay --params amount=20 --agent billing-bot || true
nomograph session report file.write --params path=/prod/a --agent billing-bot || true
nomograph session feedback refunds true --reason "it named the reason" --agent billing-bot
nomograph session context "how to brew coffee" --agent billing-bot
first=$(nomograph approval list --state waiting -o name | head -1)
nomograph approval approve "$first" "It was double charged" --for-seconds 2592000
nomograph session report refund.pay --params amount=20 --agent billing-bot || true
nomograph session report refund.pay --params amount=30 --agent billing-bot || true
intent=$(nomograph intent announce -o json "Deploy the billing service" --category process --stakes high --confidence 0.85 | grep -oE '"intent_id": "[^"]+"' | cut -d'"' -f4)
NOMOGRAPH_AGENT=bo nomograph intent answer "$intent" "The freeze lasts until Monday" --allowed=false
nomograph threshold set rollout_percent_max 30 --reason "reviewed with the team"
nomograph policy propose --set rollout_percent_max=20 --reason "Two rollouts at 25 failed"
nomograph policy propose --set error_budget_left_min=0.3 --reason "More room" --draft
nomograph evidence ingest --source ci --events event_type=pr_merged,source=ci
nomograph evidence link "$cache" 0
nomograph index status
nomograph export archive.jsonl --overwrite
