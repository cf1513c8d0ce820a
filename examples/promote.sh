#!/bin/sh
# Decide about one claim with the current policies and thresholds of the graph:
#   examples/promote.sh POLITICAL 0.95
# Fails closed: a value that cannot be read ends the script, and nothing is promoted.
set -eu
nomograph=${NOMOGRAPH:-nomograph}
facet=$1 confidence=$2

forbidden=$("$nomograph" policy list --active --has-facet-key --field facet_key)
if printf '%s\n' "$forbidden" | grep -qxF -- "$facet"; then
	echo "reject: $facet is forbidden"
	exit 0
fi
thresholds=$("$nomograph" env claim_promotion_confidence)
eval "$thresholds"
if awk -v confidence="$confidence" -v least="$CLAIM_PROMOTION_CONFIDENCE" 'BEGIN { exit !(confidence + 0 < least + 0) }'; then
	echo "reject: $confidence is below $CLAIM_PROMOTION_CONFIDENCE"
else
	echo "promote: $confidence reaches $CLAIM_PROMOTION_CONFIDENCE"
fi
