package resilience_test

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/resilience"
)

// flowField is a value that a field of section 9 takes, and one that it refuses with a
// part of the message.
type flowField struct{ good, bad, message string }

// criterion is a poll around a condition.
func criterion(text string) string {
	return "poll: {operationId: reading, successCriteria: [" + text + "]}"
}

const until = "successCriteria: [{condition: '$statusCode == 200'}]"

// flowFields are the fields of section 9, by their paths.
var flowFields = map[string]flowField{
	"pages.mode":     {"pages: {mode: off}", "pages: {mode: perhaps}", "want enforce, shadow or off"},
	"pages.items":    {"pages: {items: $response.body#/items, next: $response.body#/next}", "pages: {items: $response.body#/id, next: $response.body#/next}", "what is at /id is no list"},
	"pages.next":     {"pages: {items: $response.body#/items, next: $response.body#/items/-1}", "pages: {items: $response.body#/items, next: $response.body#/nxt}", "the body has nothing at /nxt"},
	"pages.param":    {"pages: {items: $response.body#/items, next: {header: Link, rel: next}, param: $request.query.q}", "pages: {items: $response.body#/items, next: {header: Link}, param: $principal}", "cannot be given a value"},
	"pages.more":     {"pages: {items: $response.body#/items, next: $response.body#/next, more: $response.body#/more}", "pages: {items: $response.body#/items, next: $response.body#/next, more: $response.body#/mor}", "nothing at /mor"},
	"pages.maxPages": {"pages: {items: $response.body#/items, next: {header: Link}, maxPages: 5}", "pages: {items: $response.body#/items, next: {header: Link}, maxPages: 0}", "want a whole number from 1 to 1000000"},

	"poll.mode":                      {"poll: {mode: shadow, " + until + "}", "poll: {mode: 1, " + until + "}", "mode must be one of"},
	"poll.operationId":               {"poll: {operationId: reading, " + until + "}", "poll: {operationId: readin, " + until + "}", "there is no operation \"readin\""},
	"poll.parameters.name":           {"poll: {operationId: reading, parameters: [{name: id, value: $response.body#/id}], " + until + "}", "poll: {operationId: reading, parameters: [{name: ident, value: x}], " + until + "}", "there is no parameter \"ident\""},
	"poll.parameters.in":             {"poll: {operationId: reading, parameters: [{name: id, in: path, value: x}], " + until + "}", "poll: {operationId: reading, parameters: [{name: id, in: query, value: x}], " + until + "}", "there is no query parameter \"id\""},
	"poll.parameters.value":          {"poll: {operationId: reading, parameters: [{name: q, value: 'x{$request.path.id}'}], " + until + "}", "poll: {operationId: reading, parameters: [{name: q, value: $response.body#/nix}], " + until + "}", "nothing at /nix"},
	"poll.successCriteria.condition": {criterion("{condition: \"$statusCode == 200 && ($response.body#/id == 'a' || !$response.body#/more)\"}"), criterion("{condition: '$statusCode ='}"), "is left over"},
	"poll.successCriteria.context":   {criterion("{context: $response.body#/id, condition: '^a+$', type: regex}"), criterion("{context: $response.body#/idd, condition: '^a+$', type: regex}"), "nothing at /idd"},
	"poll.successCriteria.type":      {criterion("{condition: '$statusCode == 200', type: simple}"), criterion("{condition: '^a', type: regex}"), "needs context"},
	"poll.failureCriteria.condition": {"poll: {" + until + ", failureCriteria: [{condition: '$response.body#/more == true'}]}", "poll: {" + until + ", failureCriteria: [{condition: '$response.body#/moar == true'}]}", "nothing at /moar"},
	"poll.failureCriteria.context":   {"poll: {" + until + ", failureCriteria: [{context: $url, condition: a, type: regex}]}", "poll: {" + until + ", failureCriteria: [{context: url, condition: a, type: regex}]}", "is no expression"},
	"poll.failureCriteria.type":      {"poll: {" + until + ", failureCriteria: []}", "poll: {" + until + ", failureCriteria: [{condition: '$method', type: xpath}]}", "want simple or regex"},
	"poll.interval":                  {"poll: {interval: 3s, " + until + "}", "poll: {interval: 3, " + until + "}", "has no unit"},
	"poll.maxInterval":               {"poll: {maxInterval: 3s, " + until + "}", "poll: {maxInterval: 1s, " + until + "}", "poll.maxInterval 1s is under interval 2s"},
	"poll.timeout":                   {"poll: {timeout: 1d, " + until + "}", "poll: {timeout: 0s, " + until + "}", "is not above zero"},
	"poll.result":                    {"poll: {result: $response.body#/items/0, " + until + "}", "poll: {result: $response.body#/result, " + until + "}", "nothing at /result"},
	"poll.cancel":                    {"poll: {cancel: a, " + until + "}", "poll: {cancel: b, " + until + "}", "there is no operation \"b\""},

	"resume.mode":     {"resume: {mode: shadow}", "resume: {mode: {}}", "mode must be one of"},
	"resume.upload":   {"resume: {upload: tus}", "resume: {upload: range}", "want tus"},
	"resume.download": {"resume: {download: range}", "resume: {download: tus}", "want range"},
	"resume.chunk":    {"resume: {chunk: 1MB}", "resume: {chunk: 1}", "has no unit"},

	"outbox.mode":        {"outbox: {mode: off}", "outbox: {mode: on}", "want enforce, shadow or off"},
	"outbox.aggregate":   {"outbox: {aggregate: $request.body#/id}", "outbox: {aggregate: $request.body#/ident}", "nothing at /ident"},
	"outbox.publisher":   {"outbox: {aggregate: $request.body#/id, publisher: redis-stream}", "outbox: {aggregate: $request.body#/id, publisher: ''}", "want a name"},
	"outbox.sign.scheme": {"outbox: {aggregate: $request.body#/id, sign: {scheme: standard-webhooks, secret: A}}", "outbox: {aggregate: $request.body#/id, sign: {scheme: own, secret: A}}", "want standard-webhooks"},
	"outbox.sign.secret": {"outbox: {aggregate: $request.body#/id, sign: {scheme: standard-webhooks, secret: a/b}}", "outbox: {aggregate: $request.body#/id, sign: {scheme: standard-webhooks}}", "sign needs secret"},
	"outbox.schedule":    {"outbox: {aggregate: $request.body#/id, schedule: [0s, 5s]}", "outbox: {aggregate: $request.body#/id, schedule: hourly}", "want standard-webhooks"},
	"outbox.jitter":      {"outbox: {aggregate: $request.body#/id, jitter: 0.5}", "outbox: {aggregate: $request.body#/id, jitter: 2}", "want a number from 0 to 1"},
	"outbox.maxAttempts": {"outbox: {aggregate: $request.body#/id, maxAttempts: 3}", "outbox: {aggregate: $request.body#/id, maxAttempts: 0}", "out of range"},
	"outbox.onDead":      {"outbox: {aggregate: $request.body#/id, onDead: skip}", "outbox: {aggregate: $request.body#/id, onDead: drop}", "want park or skip"},
	"outbox.batch":       {"outbox: {aggregate: $request.body#/id, batch: 3}", "outbox: {aggregate: $request.body#/id, batch: 3.5}", "out of range"},
	"outbox.poll":        {"outbox: {aggregate: $request.body#/id, poll: 3s}", "outbox: {aggregate: $request.body#/id, poll: 0s}", "not above zero"},
	"outbox.lease":       {"outbox: {aggregate: $request.body#/id, lease: 3s}", "outbox: {aggregate: $request.body#/id, lease: -3s}", "is negative"},

	"consumer.mode":             {"consumer: {mode: shadow}", "consumer: {mode: true}", "must be enforce, shadow or off"},
	"consumer.verify.scheme":    {"consumer: {verify: {scheme: github, secrets: [A]}}", "consumer: {verify: {scheme: gitlab, secrets: [A]}}", "did you mean github?"},
	"consumer.verify.secrets":   {"consumer: {verify: {scheme: stripe, secrets: [A, B]}}", "consumer: {verify: {scheme: stripe, secrets: []}}", "want at least one"},
	"consumer.verify.tolerance": {"consumer: {verify: {scheme: stripe, secrets: [A], tolerance: 1m}}", "consumer: {verify: {scheme: stripe, secrets: [A], tolerance: 1}}", "has no unit"},
	"consumer.dedupe.id":        {"consumer: {dedupe: {id: $request.header.x-tenant}}", "consumer: {dedupe: {id: $request.header.webhook-id}}", "there is no header parameter"},
	"consumer.dedupe.ttl":       {"consumer: {dedupe: {id: $request.body#/id, ttl: 7d}}", "consumer: {dedupe: {ttl: 7d}}", "dedupe needs id"},
	"consumer.dedupe.within":    {"consumer: {dedupe: {id: $request.body#/id, within: lease}}", "consumer: {dedupe: {id: $request.body#/id, within: memory}}", "want transaction or lease"},
	"consumer.order.by":         {"consumer: {order: {by: $request.body#/id, seq: $request.body#/version}}", "consumer: {order: {by: $request.body#/by, seq: $request.body#/version}}", "nothing at /by"},
	"consumer.order.seq":        {"consumer: {order: {by: $request.query.q, seq: $request.body#/next}}", "consumer: {order: {by: $request.path.id}}", "order needs seq"},
	"consumer.maxAttempts":      {"consumer: {maxAttempts: 3}", "consumer: {maxAttempts: many}", "must be a whole number"},
	"consumer.onPoison":         {"consumer: {onPoison: skip}", "consumer: {onPoison: park}", "want dead-letter or skip"},
}

// flowText puts a policy at an operation, or at a webhook where it is about events.
func flowText(text string) string {
	if !strings.HasPrefix(text, "outbox") && !strings.HasPrefix(text, "consumer") {
		return fieldText("query", "{"+text+"}")
	}
	doc := fieldText("post", "{}")
	_, hook, _ := strings.Cut(doc, "paths:\n")
	hook = strings.NewReplacer("/a/{id}", "w", "operationId: a", "operationId: w", "reading", "w2", "x-resilience: {}", "x-resilience: {"+text+"}",
		"      - {name: id, in: path, required: true, schema: {type: string}}\n", "", "$request.path.id", "$request.query.q").Replace(hook)
	return doc + "webhooks:\n" + hook
}

func TestFlowFields(t *testing.T) {
	for path, f := range flowFields {
		t.Run(path, func(t *testing.T) {
			applyText(t, flowText(f.good), resilience.Pending()).clean()
			if got := applyText(t, flowText(f.bad), resilience.Pending()); !strings.Contains(got.text(), f.message) {
				t.Errorf("%s: want %q, reported:\n%s", f.bad, f.message, got.text())
			}
			// What is fine is still refused where code is generated, by one report.
			got := applyText(t, flowText(f.good))
			for _, d := range got.list {
				if d.Code != "resilience-unsupported" {
					t.Errorf("%s: %s", d.Code, d.Message)
				}
			}
			if off := strings.Contains(f.good, "mode: off"); len(got.list) != 1 && !off || off && len(got.list) > 0 {
				t.Errorf("%d reports:\n%s", len(got.list), got.text())
			}
		})
	}
}
