package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/lint/catalog"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

var idempotencyChecks = []func(*view){
	leaseShort, keyMissing, keyLife, keySource, perCall, anonymousKeys, undocumentedKey, largeResult, storeAllow, apart,
}

func leaseShort(v *view) {
	i, t := v.v.Server.Idempotency, v.v.Server.Timeout
	if i == nil || t == nil || i.Lease >= t.Handler || !v.written(server, "idempotency.lease") {
		return
	}
	g := v.found(catalog.IdempotencyLease, v.at(server, "idempotency.lease"),
		fmt.Sprintf("idempotency.lease %s is under the server's timeout %s", spanText(i.Lease), spanText(t.Handler)))
	v.mendHere(g, server, "idempotency.lease", spanText(t.Handler+5*time.Second))
}

func keyMissing(v *view) {
	if v.v.Client.Idempotency != nil || v.v.Server.Idempotency != nil || v.v.Client.Effect != policy.Write ||
		!slices.Contains([]string{"POST", "PATCH"}, v.op.Method) || v.callback() || v.in.API.External || !financial(v.op) {
		return
	}
	g := v.found("idempotency-missing", v.here(), "a write that moves money or makes an order has no idempotency")
	v.mendHere(g, both, "idempotency", true)
}

func keyLife(v *view) {
	i := v.v.Server.Idempotency
	if i == nil || !v.written(server, "idempotency.ttl") {
		return
	}
	const least, most = 24 * time.Hour, 72 * time.Hour
	at, total := v.at(server, "idempotency.ttl"), v.total()
	switch {
	case total > 0 && i.TTL <= total:
		g := v.found("idempotency-ttl-short", at, fmt.Sprintf("idempotency.ttl %s is not above the client's total %s", spanText(i.TTL), spanText(total)))
		v.mend(g, server, "idempotency.ttl", "24h")
	case i.TTL < least:
		v.mend(v.found("idempotency-ttl-window", at, fmt.Sprintf("idempotency.ttl %s is under 24h", spanText(i.TTL))), server, "idempotency.ttl", "24h")
	case i.TTL > most:
		v.mend(v.found("idempotency-ttl-window", at, fmt.Sprintf("idempotency.ttl %s is above 72h", spanText(i.TTL))), server, "idempotency.ttl", "72h")
	}
}

// keySource looks at what a derived key is made from. Both sides have it.
func keySource(v *view) {
	i, s := v.v.Client.Idempotency, client
	if i == nil {
		i, s = v.v.Server.Idempotency, server
	}
	if i == nil {
		return
	}
	at := v.at(s, "idempotency.from")
	for _, e := range i.From {
		name := lastName(e)
		switch {
		case e.Source == policy.FromRequest:
			v.found("idempotency-whole-request", at, "the key is made from the whole request")
		case secretName(name):
			v.found("idempotency-key-secret", at, fmt.Sprintf("the key is made from %s, which looks like a secret", e))
		case volatileName(name) || v.timestamp(e):
			v.found("idempotency-key-volatile", at, fmt.Sprintf("the key is made from %s, which differs from request to request", e))
		}
	}
}

func perCall(v *view) {
	i := v.v.Client.Idempotency
	if i == nil || i.Key != policy.KeyPerCall || v.in.API.External || !v.written(client, "idempotency.key") {
		return
	}
	v.found("idempotency-per-call", v.at(client, "idempotency.key"), "each call makes a new key")
}

func anonymousKeys(v *view) {
	i := v.v.Server.Idempotency
	if i == nil || v.in.API.External || !i.Scope.IsZero() {
		return
	}
	at, _ := v.within(server, "idempotency")
	if v.written(server, "idempotency.scope") {
		at = v.at(server, "idempotency.scope")
	}
	why := "the operation has no security"
	if v.secured() {
		why = "their scope is none"
	}
	v.found("idempotency-scope-none", at, "keys belong to nobody: "+why)
}

func undocumentedKey(v *view) {
	i := v.v.Client.Idempotency
	if !v.in.API.External || i == nil {
		return
	}
	if slices.ContainsFunc(v.op.Params, func(p *ir.Param) bool { return p.In == "header" && strings.EqualFold(p.Name, i.Header) }) {
		return
	}
	for _, text := range []string{v.in.API.Description, v.op.Doc.Summary, v.op.Doc.Description} {
		text = strings.ToLower(text)
		if strings.Contains(text, strings.ToLower(i.Header)) || strings.Contains(text, "idempoten") {
			return
		}
	}
	at, _ := v.within(client, "idempotency")
	v.found("idempotency-undocumented", at, "the document of "+v.v.Dependency+" never mentions "+i.Header)
}

func largeResult(v *view) {
	i := v.v.Server.Idempotency
	if i == nil || v.in.API.External {
		return
	}
	at, _ := v.within(server, "idempotency")
	if items, raw := v.streamed(); items || raw {
		v.found("idempotency-max-body", at, "the answer is a stream, which cannot be stored for a repeat")
		return
	}
	largest := largestAnswer(v.op)
	if i.MaxBody <= 0 || largest <= i.MaxBody {
		return
	}
	if v.written(server, "idempotency.maxBody") {
		at = v.at(server, "idempotency.maxBody")
	}
	g := v.found("idempotency-max-body", at, fmt.Sprintf("the answer may have %d bytes, and %d are stored", largest, i.MaxBody))
	v.mendHere(g, server, "idempotency.maxBody", sizeText(largest))
}

func storeAllow(v *view) {
	i := v.v.Server.Idempotency
	if i == nil || i.OnStoreError != policy.AllowOnStoreError {
		return
	}
	g := v.found("idempotency-store-allow", v.at(server, "idempotency.onStoreError"), "idempotency.onStoreError is allow")
	v.mend(g, server, "idempotency.onStoreError", "deny")
}

func apart(v *view) {
	i := v.v.Server.Idempotency
	if i == nil || i.Within == policy.WithinTransaction || v.in.API.External || !financial(v.op) {
		return
	}
	at, _ := v.within(server, "idempotency")
	if v.written(server, "idempotency.within") {
		at = v.at(server, "idempotency.within")
	}
	v.found("idempotency-not-atomic", at, "the key is kept apart from the effect")
}

// sizeText is a size as the language writes it, rounded up.
func sizeText(n int64) string {
	const mib = 1 << 20
	return fmt.Sprintf("%dMiB", (n+mib-1)/mib)
}
