package members_test

import (
	"testing"

	"example.test/out/members"
)

func TestMembers(t *testing.T) {
	for text, pointers := range map[string][]string{
		`{}`:                                     nil,
		`{"own":{"a":"x","b":null}}`:             nil,
		`{"own":{}}`:                             {"/own"},
		`{"own":{"a":"x","b":"y","c":[]}}`:       {"/own"},
		`{"plain":{"a":"x"}}`:                    nil,
		`{"used":{"a":"x"}}`:                     {"/used"},
		`{"used":{"a":"x","z":1}}`:               nil,
		`{"used":{"a":"x","b":"y","z":1,"q":2}}`: {"/used"},
		`{"map":{}}`:                             {"/map"},
	} {
		invalid(t, read[members.Outer](t, text, request), pointers...)
	}
}
