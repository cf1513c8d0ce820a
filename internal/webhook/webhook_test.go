package webhook

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
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
	wanted := map[string]error{"signature": ErrSignature, "secret": ErrSecret, "time": ErrTime, "header": ErrHeader}
	for _, row := range golden.Rows(t, "testdata/requests.txt") {
		fields := map[string]string{"secrets": exampleSecret, "id": exampleID, "timestamp": strconv.Itoa(exampleSeconds),
			"signature": exampleSignature, "body": exampleBody, "age": "0s"}
		fields[row[1]] = row[2]
		header := http.Header{}
		for _, name := range []string{"id", "timestamp", "signature"} {
			header.Set("webhook-"+name, fields[name])
		}
		now := time.Unix(exampleSeconds, 0).Add(graphtest.Must(time.ParseDuration(fields["age"]))(t))
		err := Verify(strings.Fields(fields["secrets"]), header, []byte(fields["body"]), now, Tolerance)
		if want := wanted[row[3]]; !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", row[0], err, want)
		}
	}
}
