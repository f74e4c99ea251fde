package demo

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentctl/agentctl/internal/demo/reply"
	"github.com/agentctl/agentctl/internal/strictjson"
)

// maxReceipts is how many calls that changed something are remembered; the oldest goes first.
const maxReceipts = 200

// What an idempotency key is made of: enough for a UUID or a digest, and harmless wherever it is shown.
const (
	maxKey     = 128
	keyLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:"
)

// deed is a capability that changes something.
type deed struct {
	capability string
	status     int    // of its success
	scope      string // that a grant must have; "" when it needs none
	read       func(r *http.Request) (change, jsontext.Value, error)
}

// change is a request that was read and checked: what it does to the state, and what is to be said of that.
type change func(*state) (envelope, error)

func (s *shop) deeds() map[string]deed {
	return map[string]deed{
		"POST " + agentBase + "/screenings/{screening}/bookings": {"book-seat", http.StatusCreated, "", s.readBooking},
		"DELETE " + agentBase + "/bookings/{booking}":            {"release-seat", http.StatusOK, "", s.readRelease},
		"POST " + agentBase + "/events":                          {"host-an-event", http.StatusAccepted, "", s.readEvent},
		"POST " + agentBase + "/cancellations":                   {"cancel-membership", http.StatusOK, scopeClub, s.readCancellation},
	}
}

// envelope is the answer of a deed (AM-17).
type envelope struct {
	Status      string `json:"status"`
	Capability  string `json:"capabilityId"`
	Correlation string `json:"correlationId"`
	Audit       string `json:"auditId"`
	Summary     string `json:"summary"`
	FollowUp    bool   `json:"requiresFollowUp"`
	Links       []link `json:"links"`
	Result      any    `json:"result,omitzero"`
}

type link struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// The states of an envelope that is no error.
const (
	completed     = "completed"
	pendingReview = "pending_review"
)

// receipt is what is remembered of a deed: to show it, and to answer a repeated request as the first time.
type receipt struct {
	ID         string         `json:"auditId"`
	Capability string         `json:"capabilityId"`
	Time       time.Time      `json:"time"`
	Key        string         `json:"idempotencyKey,omitzero"` // that the client chose
	Digest     string         `json:"requestDigest"`
	Status     int            `json:"httpStatus"`
	Answer     jsontext.Value `json:"answer"`
}

func (s *shop) serveDeed(w http.ResponseWriter, r *http.Request, d deed) {
	kept, err := s.doRequested(r, d)
	if err != nil {
		writeRefusal(w, d.capability, err)
		return
	}
	reply.Once(w, kept.Status, "application/json", string(strictjson.Compact(kept.Answer)))
}

func (s *shop) doRequested(r *http.Request, d deed) (receipt, error) {
	if err := s.admit(r, d.scope); err != nil {
		return receipt{}, err
	}
	key := r.Header.Get("Idempotency-Key")
	if len(key) > maxKey || strings.Trim(key, keyLetters) != "" {
		return receipt{}, failure(http.StatusBadRequest, "INVALID_IDEMPOTENCY_KEY", "an idempotency key is 1 to %d letters, digits or one of -_.:", maxKey)
	}
	change, body, err := d.read(r)
	if err != nil {
		return receipt{}, err
	}
	sum := sha256.Sum256([]byte(r.Method + " " + r.URL.Path + "\n" + string(body)))
	return s.do(d, receipt{Key: key, Digest: hex.EncodeToString(sum[:])}, change)
}

// do makes a change once for each idempotency key: a repeated request gets the first one's answer.
func (s *shop) do(d deed, asked receipt, change change) (kept receipt, err error) {
	err = s.store.update(func(state *state) error {
		if earlier := state.receiptOf(asked.Key); earlier != nil {
			kept = *earlier
			if earlier.Digest != asked.Digest {
				return failure(http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED", "the idempotency key was used for another request")
			}
			return nil
		}
		done, err := change(state)
		if err != nil {
			return err
		}
		kept = receipt{ID: "aud_" + token(), Capability: d.capability, Time: s.now(), Key: asked.Key, Digest: asked.Digest, Status: d.status}
		done.Capability, done.Correlation, done.Audit = d.capability, "cor_"+token(), kept.ID
		done.Links = append(done.Links, link{"receipt", agentBase + "/receipts/" + kept.ID})
		if kept.Answer, err = json.Marshal(done); err != nil {
			return err
		}
		state.Receipts = append(latest(state.Receipts, maxReceipts-1), kept)
		return nil
	})
	return kept, err
}

// receiptOf returns what became of an earlier request with the same key, or nil.
func (s *state) receiptOf(key string) *receipt {
	for i := range s.Receipts {
		if key != "" && s.Receipts[i].Key == key {
			return &s.Receipts[i]
		}
	}
	return nil
}

// showReceipt shows what is remembered of a deed, without the key: that is its client's.
func (s *shop) showReceipt(r *http.Request) (any, error) {
	current, err := s.store.view()
	if err != nil {
		return nil, err
	}
	id := r.PathValue("receipt")
	for _, kept := range current.Receipts {
		if kept.ID == id {
			kept.Key = ""
			return kept, nil
		}
	}
	return nil, failure(http.StatusNotFound, "RECEIPT_NOT_FOUND", "there is no receipt %q", clip(id))
}

// token returns ten letters and digits that nobody can guess.
func token() string { return strings.ToLower(rand.Text()[:10]) }

// refusal is the error of a capability (AM-17).
type refusal struct {
	Status      string       `json:"status"`
	Error       refusalError `json:"error"`
	Capability  string       `json:"capabilityId,omitzero"`
	Correlation string       `json:"correlationId"`
}

type refusalError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field,omitzero"`
}

func refusalOf(capability string, err error) (doc refusal, status int) {
	e, ok := errors.AsType[*apiError](err)
	if !ok {
		e = failure(http.StatusInternalServerError, "INTERNAL", "%v", err)
	}
	field, _ := e.Details["field"].(string)
	return refusal{"error", refusalError{strings.ToLower(e.Code), e.Message, field}, capability, "cor_" + token()}, e.Status
}

func writeRefusal(w http.ResponseWriter, capability string, err error) {
	doc, status := refusalOf(capability, err)
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="Popcorn Club"`)
	}
	writeJSON(w, status, doc)
}
