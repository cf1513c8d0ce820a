package decisions

import "testing"

func TestSameTitle_WordsNumbersNegations_MustAgree(t *testing.T) {
	const title = "Use PostgreSQL for the orders of the shop"
	for other, want := range map[string]bool{
		"Use PostgreSQL for the orders of the shop":  true,
		"use postgresql for the orders of the shop!": true,
		"Use PostgreSQL for orders of the shop":      true,
		// the one word out of seven that matters
		"Use MySQL for the orders of the shop":                                          false,
		"Do not use PostgreSQL for the orders":                                          false,
		"Never use PostgreSQL for the orders of the shop":                               false,
		"Use PostgreSQL 17 for the orders of the shop":                                  false,
		"Use PostgreSQL for the invoices of the team":                                   false,
		"Use MySQL for the orders of the shop, all of the databases and the rest of it": false,
		"": false,
	} {
		if got := sameTitle(title, other); got != want {
			t.Errorf("%q: got %v, want %v", other, got, want)
		}
	}
	if !sameTitle("The cache expires after 5 minutes", "The cache expires after 5 minutes.") ||
		sameTitle("The cache expires after 5 minutes", "The cache expires after 30 minutes") {
		t.Error("numbers do not decide")
	}
}
