package explain

import (
	"slices"
	"strings"
)

// settingTree is settings by the parts of their paths, so that what they have in
// common is written once: budget {ratio 0.2, window 10s}.
type settingTree struct {
	name, value string
	members     []*settingTree
}

// compact writes settings of one primitive, each as its path without the
// primitive's name and its value.
func compact(paths, values []string) []string {
	root := &settingTree{}
	for i, p := range paths {
		root.put(strings.Split(p, "."), values[i])
	}
	var out []string
	for _, m := range root.members {
		out = append(out, m.text())
	}
	return out
}

func (t *settingTree) put(path []string, value string) {
	i := slices.IndexFunc(t.members, func(m *settingTree) bool { return m.name == path[0] && m.value == "" })
	if i < 0 {
		t.members = append(t.members, &settingTree{name: path[0]})
		i = len(t.members) - 1
	}
	if len(path) == 1 {
		t.members[i].value = value
		return
	}
	t.members[i].put(path[1:], value)
}

func (t *settingTree) text() string {
	switch len(t.members) {
	case 0:
		return strings.TrimRight(t.name+" "+t.value, " ")
	case 1:
		return t.name + "." + t.members[0].text()
	}
	parts := make([]string, len(t.members))
	for i, m := range t.members {
		parts[i] = m.text()
	}
	return t.name + " {" + strings.Join(parts, ", ") + "}"
}
