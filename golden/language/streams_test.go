package language_test

// ofStreams are the rows of stream.
var ofStreams = map[string]row{
	"clientSide.stream":               {"golden/streams", "TestForms"},
	"stream=true":                     {"golden/streams", "TestTurnedOn"},
	"stream=false":                    {"golden/streams", "TestForms"},
	"stream.enabled=false":            {"golden/streams", "TestForms"},
	"stream.mode=enforce":             {"golden/streams", "TestForms"},
	"stream.mode=shadow":              {"golden/streams", "TestFirst"},
	"stream.mode=off":                 {"golden/streams", "TestForms"},
	"stream.first":                    {"golden/streams", "TestFirst"},
	"stream.retry=before-first-event": {"golden/streams", "TestForms"},
	"stream.retry=never":              {"golden/streams", "TestFirst"},
	"stream.resume":                   {"golden/streams", "TestWatchOrders"},
	"stream.resume.param":             {"golden/streams", "TestListChanges"},
	"stream.resume.from":              {"golden/streams", "TestListChanges"},
	"stream.error":                    {"golden/streams", "TestComplete"},
	"stream.error.pointer":            {"golden/streams", "TestComplete"},
}
