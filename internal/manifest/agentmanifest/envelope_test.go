package agentmanifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentctl/agentctl/internal/fault"
	"github.com/agentctl/agentctl/internal/manifest"
)

func TestAnEnvelopeIsRead(t *testing.T) {
	got, ok := ReadEnvelope([]byte(`{"status":"accepted","capabilityId":"borrow","correlationId":"req_1","auditId":"audit_1","summary":"Borrowed.",
		"requiresFollowUp":true,"links":[{"rel":"status","href":"/r/1"},{"rel":"none"},7],"more":1}`))
	want := Envelope{
		Status: "accepted", CapabilityID: "borrow", CorrelationID: "req_1", AuditID: "audit_1", Summary: "Borrowed.", RequiresFollowUp: true,
		Links: []manifest.Link{{Name: "status", URL: "/r/1"}},
	}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("%t %s", ok, diff)
	}
	if e := got.Fault(200); e != nil {
		t.Errorf("fault %v", e)
	}
}

func TestErrorsInEnvelopes(t *testing.T) {
	for name, test := range map[string]struct {
		body   string
		status int
		kind   fault.Kind
		text   string // code and message
	}{
		"consent":              {`{"status":"error","error":{"code":"consent_required","message":"Ask."},"capabilityId":"x"}`, 200, fault.Approval, "consent_required: Ask."},
		"consent, as a 403":    {`{"status":"error","error":{"code":"consent_required","message":"Ask."}}`, 403, fault.Approval, "consent_required: Ask."},
		"another":              {`{"status":"error","error":{"code":"sold_out","message":"Gone."}}`, 200, fault.Rejected, "sold_out: Gone."},
		"by its status":        {`{"status":"error","error":{"code":"login","message":"Sign in."}}`, 401, fault.Auth, "login: Sign in."},
		"too much":             {`{"status":"error","error":{"code":"slow","message":"Wait."}}`, 429, fault.Unavailable, "slow: Wait."},
		"nothing but the word": {`{"status":"error","error":{}}`, 200, fault.Rejected, "error: the site answered with the error error"},
		"no error object":      {`{"status":"error","capabilityId":"x"}`, 200, fault.Rejected, "error: the site answered with the error error"},
	} {
		t.Run(name, func(t *testing.T) {
			envelope, ok := ReadEnvelope([]byte(test.body))
			if !ok {
				t.Fatal("it is no envelope")
			}
			e := envelope.Fault(test.status)
			if e == nil || e.Kind != test.kind || e.Code+": "+e.Message != test.text || e.Status != test.status || e.Sent != fault.SentYes {
				t.Errorf("got %+v", e)
			}
		})
	}
	e, _ := ReadEnvelope([]byte(`{"status":"error","error":{"code":"x"},"correlationId":"req_2"}`))
	if diff := cmp.Diff(map[string]any{"correlationId": "req_2"}, e.Fault(200).Details); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNoEnvelope(t *testing.T) {
	for _, body := range []string{
		``, `null`, `[]`, `"accepted"`, `{}`, `{"status":"ok"}`, `{"status":200,"capabilityId":"x"}`, `{"capabilityId":"x"}`, `{"status":"error"}`,
		`{"status":"error","error":"no"}`, `{"status":"ok","error":{"code":"x"}}`, `{"status":"ok","capabilityId":"x"`,
		`{"status":"ok","capabilityId":"x","x":"` + strings.Repeat("x", MaxEnvelopeBytes) + `"}`,
	} {
		if e, ok := ReadEnvelope([]byte(body)); ok {
			t.Errorf("%.80s: %+v", body, e)
		}
	}
}

func TestLongTextsOfEnvelopesAreCut(t *testing.T) {
	long := strings.Repeat("ä", 10_000)
	body := `{"status":"` + long + `","capabilityId":"` + long + `","summary":"` + long + `","links":[` + strings.Repeat(`{"href":"/x"},`, 1000) + `1]}`
	e, ok := ReadEnvelope([]byte(body))
	if !ok || len(e.Status) > maxEnvelopeID+3 || len(e.CapabilityID) > maxEnvelopeID+3 || len(e.Summary) > maxEnvelopeText+3 || len(e.Links) != maxEnvelopeLinks {
		t.Errorf("%t: %d, %d, %d, %d", ok, len(e.Status), len(e.CapabilityID), len(e.Summary), len(e.Links))
	}
}

func FuzzReadEnvelope(f *testing.F) {
	f.Add([]byte(`{"status":"error","error":{"code":"consent_required","message":"Ask."},"capabilityId":"x","links":[{"rel":"a","href":"b"}]}`), 403)
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		e, ok := ReadEnvelope(body)
		if ok && e.Status == "" {
			t.Errorf("%s has no status", body)
		}
		if failure := e.Fault(status); failure != nil && (failure.Code == "" || failure.Message == "" || failure.Exit() < 1) {
			t.Errorf("%s: %+v", body, failure)
		}
	})
}
