package language_test

// ofAnswers are the rows of fallback, cache and concurrency.
var ofAnswers = map[string]row{}
