package language_test

// ofLevels are the rows of the root, levels, variants, rules, profiles and sides.
var ofLevels = map[string]row{}
