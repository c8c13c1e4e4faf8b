package policy

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// ProfileVariable is the environment variable that names the profile of a process
// whose code does not.
const ProfileVariable = "HOLDFAST_PROFILE"

// ProfileError is a profile that a document does not have.
type ProfileError struct {
	Name string
	// Known are the names that it has.
	Known []string
	// Variable is the environment variable that the name comes from; empty where
	// the code names it.
	Variable string
}

// Error names the profile, where it comes from, and those that there are.
func (e *ProfileError) Error() string {
	text := "there is no profile " + strconv.Quote(e.Name)
	if e.Variable != "" {
		text += " (from " + e.Variable + ")"
	}
	if len(e.Known) == 0 {
		return text + "; the document has none"
	}
	return text + "; the document has " + strings.Join(e.Known, ", ")
}

// ChooseProfile is the profile of a client or a server whose document has the known
// ones. A named profile comes first, and the empty name is none; without a name it is
// what HOLDFAST_PROFILE says. That variable is for all clients and servers of a
// process, so a document without profiles does not hear it. The error is a
// [*ProfileError].
func ChooseProfile(name string, named bool, known []string) (string, error) {
	variable := ""
	if !named {
		if len(known) == 0 {
			return "", nil
		}
		name, variable = os.Getenv(ProfileVariable), ProfileVariable
	}
	if name == "" || slices.Contains(known, name) {
		return name, nil
	}
	return "", &ProfileError{Name: name, Known: known, Variable: variable}
}
