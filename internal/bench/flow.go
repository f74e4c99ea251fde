package main

import (
	"context"
	"time"
)

// flowHost publishes a flow of three steps, two of which change something: each is in the audit log and in the kept run
// before it is sent.
const flowHost = "flow.example"

const flowManifest = `{"version":"agent-actions/0.1","site":"flow.example","actions":[
{"name":"search","method":"GET","path":"/api/v1/steps/search","effect":"read","input":{"type":"object","required":["query"],"properties":{"query":{"type":"string"}}}},
{"name":"add","method":"POST","path":"/api/v1/steps/add","effect":"write","input":{"type":"object","required":["id"],"properties":{"id":{"type":"string"}}}},
{"name":"order","method":"POST","path":"/api/v1/steps/order","effect":"write","input":{"type":"object","required":["cart"],"properties":{"cart":{"type":"string"}}}}],
"flows":[{"name":"buy","steps":[{"action":"search","with":{"query":"$input.query"}},{"action":"add","with":{"id":"$steps.0.items.0.id"}},{"action":"order","with":{"cart":"$steps.1.id"}}]}]}`

// flow compares a flow of three steps with one call of its first step: what is more is two calls' network time and what
// the flow itself costs.
func (b *bench) flow(ctx context.Context, t *table) error {
	medians, err := takeTurns(ctx, b.rounds, b.ctl("warm", flowHost, "search", "x", "--json"), b.ctl("warm", flowHost, "flows", "buy", "--query", "x"))
	if err == nil {
		t.difference("a flow of three steps, beside a call of the first", medians[0].wall, medians[1].wall, 20*time.Millisecond)
	}
	return err
}
