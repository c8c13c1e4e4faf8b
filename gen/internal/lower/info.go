package lower

import (
	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// info reads what the document says about itself.
func (l *lowerer) info(root *load.Node) {
	l.api.OpenAPI = l.doc.VersionText
	l.api.Self, _ = root.Get("$self").Written()
	l.externalDocs(root, "the document")
	if !root.Has("paths") && !root.Has("components") && !root.Has("webhooks") {
		l.list.Repair(root.Pos(), "paths-missing", root.Pointer(),
			"the document has none of paths, components and webhooks: nothing to generate")
	} else if !root.Has("paths") && l.doc.Version < load.V31 {
		l.list.Repair(root.Pos(), "paths-missing", root.Pointer(), "paths is missing: taken as empty")
	}
	if !root.Has("info") {
		l.list.Error(root.Pos(), "info-missing", root.Pointer(), "info is missing at the document root").
			Hintf("add info with a title and a version")
		return
	}
	info := l.object(root, "info", "the document")
	if info == nil || !l.checkFields(info, "info", infoObject) {
		return
	}
	for _, key := range []string{"title", "version"} {
		if !info.Has(key) {
			l.repairf(info, "info-incomplete", "info: %s is missing: taken as empty", key)
		}
	}
	l.api.Title = l.prose(info, "title", "info")
	l.api.Version = l.prose(info, "version", "info")
	l.api.Description = l.prose(info, "description", "info")
	if contact := l.proseObject(info, "contact", "info"); contact != nil {
		l.checkFields(contact, "info: contact", contactObject)
	}
	if license := l.proseObject(info, "license", "info"); license != nil {
		l.checkFields(license, "info: license", licenseObject)
	}
}

// tags reads the declared tags. Tags only group operations, so nothing about them
// ends a run.
func (l *lowerer) tags(root *load.Node) {
	list := root.Get("tags")
	if list == nil {
		return
	}
	if list.Kind != load.Array {
		l.repairf(list, "wrong-type", "tags must be a list, got a %s: ignored", list.KindName())
		return
	}
	seen := map[string]diag.Pos{}
	for _, item := range list.Items {
		if item.Kind != load.Object {
			l.repairf(item, "wrong-type", "a tag must be a mapping with a name, got a %s: ignored", item.KindName())
			continue
		}
		tag := l.tag(item)
		if tag == nil {
			continue
		}
		if first, dup := seen[tag.Name]; dup {
			l.repairf(item, "tag-duplicate", "tag %q is declared twice: the first is used", tag.Name).
				At(first, "first declared here")
			continue
		}
		seen[tag.Name] = item.Pos()
		l.api.Tags = append(l.api.Tags, tag)
	}
	l.tagParents()
}

func (l *lowerer) tag(n *load.Node) *ir.Tag {
	l.checkFields(n, "tag", tagObject)
	name := l.prose(n, "name", "tag")
	if name == "" {
		l.repairf(n, "tag-name", "a tag needs a name: ignored")
		return nil
	}
	what := "tag " + name
	return &ir.Tag{
		Name: name, Pos: n.Pos(), Doc: l.docOf(n, what, target{}),
		Kind: l.prose(n, "kind", what), Parent: l.prose(n, "parent", what),
	}
}

// tagParents drops parents that do not exist or lead back to the tag.
func (l *lowerer) tagParents() {
	byName := map[string]*ir.Tag{}
	for _, tag := range l.api.Tags {
		byName[tag.Name] = tag
	}
	for _, tag := range l.api.Tags {
		if tag.Parent == "" {
			continue
		}
		if byName[tag.Parent] == nil {
			l.list.Repair(tag.Pos, "tag-parent", "", "tag %q: parent %q is not declared: ignored", tag.Name, tag.Parent)
			tag.Parent = ""
			continue
		}
		steps := 0
		for at := tag; at != nil && at.Parent != ""; at = byName[at.Parent] {
			if steps++; steps > len(l.api.Tags) {
				l.list.Repair(tag.Pos, "tag-parent", "", "tag %q: its parents form a circle: parent %q ignored", tag.Name, tag.Parent)
				tag.Parent = ""
				break
			}
		}
	}
}
