package redact

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"nomograph/internal/golden"
)

func TestText_KnownTexts_AreScannedOnce(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       int64
	}{
		{"no secret", "deploy the billing service to production, scanned once", 1},
		{"one secret", "deploy with password=" + secret + " to production, scanned once",
			2}, // one that masks, one that finds nothing
	} {
		t.Run(c.name, func(t *testing.T) {
			before := scans.Load()
			masked, _ := Text(c.text)
			golden.Equal(t, "the first call: scans", scans.Load()-before, c.want)
			before = scans.Load()
			Value(map[string]any{"description": strings.Clone(masked)}) // "description" is a text as well
			MaskAll([]string{masked, masked})
			Value(map[string]any{"description": masked})
			if got := scans.Load() - before; got > 1 {
				t.Errorf("the calls after it: got %d scans, want at most that of the field name", got)
			}
		})
	}
}

func TestText_SecretAgain_IsMaskedAgain(t *testing.T) {
	for range 3 {
		if got, changed := Text("password=" + secret); got != "password="+mask || !changed {
			t.Errorf("got %q, %v, want got=%v, changed=true", got, changed, "password="+mask)
		}
	}
}

func TestText_MoreTextsThanRemembered_MasksAll(t *testing.T) {
	t.Cleanup(clean().Purge)
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			for i := range cleanTexts {
				if got := Mask("step " + strconv.Itoa(worker*cleanTexts+i) + " password=" +
					secret); strings.Contains(got, secret) {
					t.Errorf("worker %d: %q keeps the secret", worker, got)
					return
				}
			}
		})
	}
	wait.Wait()
}
