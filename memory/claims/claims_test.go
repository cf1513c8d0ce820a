package claims_test

import (
	"testing"

	"nomograph/memory/claims"
)

func one(t *testing.T, text string) claims.Claim {
	t.Helper()
	all := claims.In(text)
	if len(all) == 0 {
		t.Fatalf("%q has %d claims: %+v", text, len(all), all)
	}
	return all[0]
}

func TestReplaces_SameSubjectAnotherValue_True(t *testing.T) {
	for _, pair := range [][2]string{
		{"The cache expires after 5 minutes.", "From now on the cache expires after 90 minutes"},
		{"Thought: The cache expires after 30 minutes",
			"Assistant: The cache expires after 2 hours, because users complained."},
		{"The cache expires after five minutes", "The cache expires after ninety minutes now"},
		{"The limit of uploads is 20MB", "The limit of uploads is 50MB"},
		{"Deployments are allowed on Fridays", "Deployments are not allowed on Fridays"},
		{"The release of the API is on 2026-05-01", "The release of the API is on 2026-06-01"},
		{"The orders API listens on port 8080", "The orders API listens on port 9090"},
	} {
		if a, b := one(t, pair[0]), one(t, pair[1]); !a.Replaces(b) || !b.Replaces(a) {
			t.Errorf("%q and %q: got false, want true (%+v, %+v)", pair[0], pair[1], a, b)
		}
	}
}

func TestReplaces_AnotherSubjectOrNoValue_False(t *testing.T) {
	for _, pair := range [][2]string{
		{"The cache expires after 5 minutes", "The cache expires after 5 minutes"},
		{"The cache expires after 5 minutes", "The session expires after 30 minutes"},
		{"Service 1 listens on port 80", "Service 2 listens on port 443"},
		{"The page cache expires after 5 minutes", "The order cache expires after 30 minutes"},
		{"The cache expires after 5 minutes", "The cache expires"},
		{"Alpha talks to Kafka through port 9092", "Beta talks to Kafka through port 9093"},
	} {
		if a, b := one(t, pair[0]), one(t, pair[1]); a.Replaces(b) || b.Replaces(a) {
			t.Errorf("%q and %q: got true, want false (%+v, %+v)", pair[0], pair[1], a, b)
		}
	}
}

func TestFactsIn_QuestionsAndStories_GiveNoFacts(t *testing.T) {
	for _, text := range []string{"Does the cache expire after 5 minutes?", "I ran 5 miles in the park", "Yes.", ""} {
		if all := claims.In(text); len(all) > 0 {
			t.Errorf("%q: got %+v, want none", text, all)
		}
	}
}

func TestAgree_NumbersNamesNegationsDates_MustBeTheSame(t *testing.T) {
	if !claims.Agree("User: the cache of orders is slow. We use Redis there",
		"User: The cache of orders is slow, we use Redis there.") {
		t.Error("got false for the same text, want true")
	}
	for _, pair := range [][2]string{
		{"The cache expires after 5 minutes", "The cache expires after 30 minutes"},
		{"The queue of orders is Kafka", "The queue of orders is RabbitMQ"},
		{"The build is green", "The build is not green"},
		{"The release is on Monday", "The release is on Friday"},
		{"Deploy with feature_a", "Deploy with feature_b"},
	} {
		if claims.Agree(pair[0], pair[1]) {
			t.Errorf("%q and %q: got true, want false", pair[0], pair[1])
		}
	}
}
