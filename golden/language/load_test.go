package language_test

// ofLoad are the rows of bulkhead, rateLimit, lock and shed.
var ofLoad = map[string]row{}
