package language_test

// ofCalls are the rows of timeout, deadline, retry, hedge and breaker.
var ofCalls = map[string]row{}
