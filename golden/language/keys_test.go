package language_test

// ofKeys are the rows of idempotency.
var ofKeys = map[string]row{
	"idempotency.enabled=false":       {"golden/keys", "TestModes"},
	"idempotency.mode=enforce":        {"golden/keys", "TestStrict"},
	"idempotency.mode=shadow":         {"golden/keys", "TestModes"},
	"idempotency.mode=off":            {"golden/keys", "TestOffAsksNoStore"},
	"idempotency.header":              {"golden/keys", "TestPerCall"},
	"idempotency.quoted=true":         {"golden/keys", "TestPerCall"},
	"idempotency.quoted=false":        {"golden/keys", "TestUnquoted"},
	"idempotency.key=caller":          {"golden/keys", "TestUnquoted"},
	"idempotency.key=derived":         {"golden/payments", "TestDerivedKey"},
	"idempotency.key=per-call":        {"golden/keys", "TestPerCall"},
	"idempotency.from":                {"golden/payments", "TestDerivedKey"},
	"idempotency.scope":               {"golden/keys", "TestScope"},
	"idempotency.required=true":       {"golden/keys", "TestStrict"},
	"idempotency.required=false":      {"golden/keys", "TestRequired"},
	"idempotency.ttl":                 {"golden/keys", "TestTTL"},
	"idempotency.lease":               {"golden/keys", "TestLease"},
	"idempotency.within=lease":        {"golden/keys", "TestStrict"},
	"idempotency.within=transaction":  {"golden/orders", "TestUndone"},
	"idempotency.fingerprint=request": {"golden/keys", "TestStrict"},
	"idempotency.fingerprint=from":    {"golden/payments", "TestKeyOfAnotherRequest"},
	"idempotency.maxBody":             {"golden/keys", "TestMaxBody"},
	"idempotency.onStoreError=deny":   {"golden/keys", "TestStrict"},
	"idempotency.onStoreError=allow":  {"golden/keys", "TestOnStoreError"},
}
