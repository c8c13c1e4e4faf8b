package lower

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// partHeaders lowers the headers of one part. Only parts of a multipart body have any.
func (l *lowerer) partHeaders(p *ir.Part, c *ir.Content, enc *load.Node, what string, place []string) {
	headers := enc.Get("headers")
	if headers == nil {
		return
	}
	if c.Kind != ir.ContentMultipart {
		l.list.Warn(keyPos(headers), "encoding-ignored", headers.Pointer(),
			"%s: encoding of %s: only parts of a multipart body have headers: ignored", what, p.Field.Name)
		return
	}
	what += ": encoding of " + p.Field.Name
	p.Headers = slices.DeleteFunc(l.headers(enc, what, place), func(h *ir.Param) bool {
		if !strings.EqualFold(h.Name, "Content-Disposition") {
			return false
		}
		l.list.Warn(h.Pos, "encoding-ignored", headers.Pointer(),
			"%s: header %s is written from the name of the part and of its file: what the document says of it is ignored", what, h.Name)
		return true
	})
}

// spreadFields warns of an object that is spread over a form in which another field has
// the name of one of its members: neither can be told from the other. Where the document
// does not ask for that, the object is written as JSON, as 3.2 has it.
func (l *lowerer) spreadFields(c *ir.Content, encodings *load.Node, what string) {
	owner := map[string]string{}
	for _, p := range c.Parts {
		owner[p.Field.Name] = p.Field.Name
	}
	for _, p := range c.Parts {
		t := typeBehind(p.Field.Use)
		if t == nil || t.Kind != ir.KindStruct || p.Style != "form" || !p.Explode {
			continue
		}
		taken := ""
		for _, f := range t.Fields {
			if other, is := owner[f.Name]; is && other != p.Field.Name {
				taken = f.Name
				break
			}
		}
		if taken == "" {
			for _, f := range t.Fields {
				owner[f.Name] = p.Field.Name
			}
			continue
		}
		done := "neither can be told from the other: write the style deepObject"
		if enc := encodings.Get(p.Field.Name); !enc.Has("style") && !enc.Has("explode") {
			p.Style, p.Explode, p.Kind = "", false, ir.ContentJSON
			done = "it is written as JSON"
		}
		l.list.Warn(c.Pos, "form-names", "", "%s: as fields of the form by themselves, the members of %s would meet another field %s: %s",
			what, p.Field.Name, taken, done)
	}
}

// headersOfFiles warns where the headers of files cost memory: those of a file that
// arrives after another has been handed over would come too late.
func (l *lowerer) headersOfFiles(c *ir.Content, encodings *load.Node, what string) {
	files := 0
	var with *ir.Part
	for _, p := range c.Parts {
		if !p.File || p.Many {
			continue
		}
		files++
		if len(p.Headers) > 0 {
			with = p
		}
	}
	if with == nil || files < 2 {
		return
	}
	headers := encodings.Get(with.Field.Name).Get("headers")
	l.list.Warn(keyPos(headers), "part-headers", headers.Pointer(),
		"%s: the headers of %s are read before any file is handed over: files that come before it are held in memory, and must not be larger than 1 MiB",
		what, with.Field.Name)
}
