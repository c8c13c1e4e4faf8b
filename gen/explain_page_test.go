package gen_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen"
)

// element is one element of a page with the text directly in it.
type element struct {
	name  string
	attrs map[string]string
	text  string
}

// parsePage reads a page strictly: every element is closed in its order.
func parsePage(t *testing.T, page []byte) []*element {
	t.Helper()
	text := strings.Replace(string(page), "<!DOCTYPE html>\n", "", 1)
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.Strict, dec.AutoClose, dec.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var all, open []*element
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			all, open = append(all, e), append(open, e)
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1].name != token.Name.Local {
				t.Fatalf("</%s> closes nothing", token.Name.Local)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(token)
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("<%s> is never closed", open[len(open)-1].name)
	}
	return all
}

// pageElements are all that a page may consist of.
var pageElements = strings.Fields("html head meta title style body header main footer section div h1 h2 h3 h4 p ul ol li code span small b a " +
	"table thead tbody tr th td dl dt dd label input details summary svg line text rect script")

func pageOf(t *testing.T, cfg gen.Config) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := explained(t, cfg, gen.ExplainSelection{}).WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// checkPage holds what every page must be: one style and one script, both named by
// the policy, no handler, no style in an attribute, nothing that is fetched.
func checkPage(t *testing.T, page []byte) []*element {
	t.Helper()
	all := parsePage(t, page)
	policy, scripts, styles := "", 0, 0
	ids := map[string]bool{}
	for _, e := range all {
		if !slices.Contains(pageElements, e.name) {
			t.Errorf("an element <%s>", e.name)
		}
		for name, value := range e.attrs {
			switch {
			case strings.HasPrefix(name, "on") || name == "style" || name == "src" || name == "srcset" || name == "action":
				t.Errorf("<%s %s=%q>", e.name, name, value)
			case name == "href" && !strings.HasPrefix(value, "#policy-"):
				t.Errorf("a link to %q", value)
			case name == "id":
				if ids[value] {
					t.Errorf("the id %s twice", value)
				}
				ids[value] = true
			}
		}
		if e.name == "meta" && e.attrs["http-equiv"] == "Content-Security-Policy" {
			policy = e.attrs["content"]
		}
	}
	for _, e := range all {
		switch e.name {
		case "script":
			scripts++
		case "style":
			styles++
		default:
			continue
		}
		sum := sha256.Sum256(between(t, page, e.name))
		if want := e.name + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy %s does not name the %s by %s", policy, e.name, want)
		}
	}
	if scripts != 1 || styles != 1 || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("%d scripts, %d styles, policy %s", scripts, styles, policy)
	}
	for _, e := range all {
		if target, ok := e.attrs["href"]; ok && !ids[strings.TrimPrefix(target, "#")] {
			t.Errorf("a link to %s, which is not there", target)
		}
	}
	return all
}

// between is the text of the one element of a name, byte for byte.
func between(t *testing.T, page []byte, name string) []byte {
	t.Helper()
	m := regexp.MustCompile(`(?s)<` + name + `>(.*?)</` + name + `>`).FindSubmatch(page)
	if m == nil {
		t.Fatalf("no <%s>", name)
	}
	return m[1]
}

func TestExplainPage(t *testing.T) {
	t.Chdir(explainFolder)
	page := pageOf(t, shopConfig(true))
	all := checkPage(t, page)
	cards, rows, charts := 0, 0, 0
	for _, e := range all {
		switch {
		case e.name == "section":
			cards++
		case e.name == "tr" && e.attrs["data-find"] != "":
			rows++
		case e.name == "svg":
			charts++
		}
	}
	// Four policies, of which one has a variant; each with a timeline and, since all
	// send more than one request, a chart of the load.
	if cards != 4 || rows != 5 || charts != 10 {
		t.Errorf("%d cards, %d rows, %d charts", cards, rows, charts)
	}
	for _, want := range []string{
		"Try 1: 0s – 2s (attempt timeout)", "Try 2: 2.5s – 4.5s (attempt timeout)", "Fallback: server mirror, up to 6.5s",
		"Without a budget: 4", "With the budget, at 100 calls/s: 1.3", "Variant slow", "shop.overlay.yaml:7",
		`data-find="post /orders createorder orders"`,
	} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("no %q", want)
		}
	}
}

// Whatever a document has for names, it stays text.
func TestExplainPageIsHardToBreak(t *testing.T) {
	const evil = `</title></style></script><script>alert(1)</script><img src=x onerror=alert(1)>"'{{.}}` + "\u2028"
	type object = map[string]any
	document, err := json.Marshal(object{
		"openapi": "3.1.0", "info": object{"title": evil, "version": "1"},
		"x-resilience": object{"version": 1, "dependency": "d"},
		"paths": object{"/a" + strings.NewReplacer("{", "", "}", "").Replace(evil): object{"post": object{
			"operationId": evil, "tags": []string{evil},
			"x-resilience": object{
				"fallback": []any{object{"static": object{"status": 200, "body": object{evil: evil}}}},
				"variants": object{"v": object{"when": object{"$request.body#/a": evil}, "client": object{"timeout": "1s"}}},
			},
			"requestBody": object{"content": object{"application/json": object{"schema": object{"type": "object", "properties": object{"a": object{"type": "string"}}}}}},
			"responses":   object{"200": object{"description": "ok", "content": object{"application/json": object{"schema": object{"type": "object"}}}}},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write(t, "evil.json", string(document))
	page := pageOf(t, gen.Config{Spec: "evil.json"})
	all := checkPage(t, page)
	if !slices.ContainsFunc(all, func(e *element) bool { return e.name == "h1" && strings.Contains(e.text, "<script>alert(1)</script>") }) {
		t.Error("the title is not there as text")
	}
	var b bytes.Buffer
	if err := explained(t, gen.Config{Spec: "evil.json"}, gen.ExplainSelection{}).WriteText(&b, gen.ExplainTextOptions{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "\u2028") {
		t.Error("text that moves the cursor of a terminal")
	}
}
