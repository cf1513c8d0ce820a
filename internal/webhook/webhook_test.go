package webhook

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
)

// The example of the Standard Webhooks libraries.
const (
	exampleSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	exampleID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	exampleBody      = `{"test": 2432232314}`
	exampleSeconds   = 1614265330
	exampleSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func TestSign_SpecificationExample_ReturnsItsSignature(t *testing.T) {
	got := graphtest.Must(Sign(exampleSecret, exampleID, time.Unix(exampleSeconds, 0), []byte(exampleBody)))(t)
	graphtest.Equal(t, got, exampleSignature)
	for _, secret := range []string{"", "whsec_", "whsec_c2hvcnQ=", "whsec_not base64!",
		strings.ToUpper(exampleSecret) + "-"} {
		if _, err := Sign(secret, exampleID, time.Now(), nil); !errors.Is(err, ErrSecret) {
			t.Errorf("secret %q: got %v, want %v", secret, err, ErrSecret)
		}
	}
}

func TestVerify_Requests(t *testing.T) {
	other := "whsec_b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcg=="
	signed := time.Unix(exampleSeconds, 0)
	tests := []struct {
		name                     string
		secrets                  []string
		id, timestamp, signature string
		body                     string
		now                      time.Time
		want                     error
	}{
		{"valid", []string{exampleSecret}, exampleID, "", exampleSignature, exampleBody, signed, nil},
		{"without prefix", []string{exampleSecret[6:]}, exampleID, "", exampleSignature, exampleBody, signed, nil},
		{"rotated secret", []string{other, exampleSecret}, exampleID, "", exampleSignature, exampleBody, signed, nil},
		{"several signatures", []string{exampleSecret}, exampleID, "", "v1,Zm9v v2,x " + exampleSignature, exampleBody,
			signed.Add(Tolerance), nil},
		{"foreign secret", []string{other}, exampleID, "", exampleSignature, exampleBody, signed, ErrSignature},
		{"no secret", nil, exampleID, "", exampleSignature, exampleBody, signed, ErrSignature},
		{"unusable secret", []string{"whsec_"}, exampleID, "", exampleSignature, exampleBody, signed, ErrSecret},
		{"changed body", []string{exampleSecret}, exampleID, "", exampleSignature, exampleBody + " ", signed,
			ErrSignature},
		{"changed id", []string{exampleSecret}, "msg_2", "", exampleSignature, exampleBody, signed, ErrSignature},
		{"changed time", []string{exampleSecret}, exampleID, strconv.Itoa(exampleSeconds + 1), exampleSignature,
			exampleBody, signed, ErrSignature},
		{"other version", []string{exampleSecret}, exampleID, "", "v1a" + exampleSignature[2:], exampleBody, signed,
			ErrSignature},
		{"without version", []string{exampleSecret}, exampleID, "", exampleSignature[3:], exampleBody, signed,
			ErrSignature},
		{"shortened", []string{exampleSecret}, exampleID, "", exampleSignature[:20], exampleBody, signed, ErrSignature},
		{"replay", []string{exampleSecret}, exampleID, "", exampleSignature, exampleBody, signed.Add(Tolerance + 1),
			ErrTime},
		{"future", []string{exampleSecret}, exampleID, "", exampleSignature, exampleBody, signed.Add(-Tolerance - 1),
			ErrTime},
		{"no time", []string{exampleSecret}, exampleID, "soon", exampleSignature, exampleBody, signed, ErrHeader},
		{"no id", []string{exampleSecret}, "", "", exampleSignature, exampleBody, signed, ErrHeader},
		{"no signature", []string{exampleSecret}, exampleID, "", "", exampleBody, signed, ErrHeader},
	}
	for _, test := range tests {
		header := http.Header{}
		header.Set("webhook-id", test.id)
		header.Set("webhook-timestamp", test.timestamp)
		if test.timestamp == "" {
			header.Set("webhook-timestamp", strconv.Itoa(exampleSeconds))
		}
		header.Set("webhook-signature", test.signature)
		if err := Verify(test.secrets, header, []byte(test.body), test.now, Tolerance); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, err, test.want)
		}
	}
}
