package diag

import (
	"encoding/json"
	"io"
	"net/url"
	"strings"
)

// SARIFOptions says who reports, for [WriteSARIF].
type SARIFOptions struct {
	// Dir is an absolute folder: files below it are named relative to it.
	Dir string
	// Tool and Version are the name and version of the tool; URL is its home page.
	Tool, Version, URL string
	// Rules are those that may report, in a fixed order. A finding whose rule is
	// not among them gets a description of its own.
	Rules []SARIFRule
}

// SARIFRule describes a rule.
type SARIFRule struct {
	ID, Tier string
	// Short is one sentence; Full says more, and Help what to do.
	Short, Full, Help string
}

const sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"

// The parts of a SARIF 2.1.0 log that are written; the names of the members are the
// standard's.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool     `json:"tool"`
		ColumnKind  string        `json:"columnKind"`
		Results     []sarifResult `json:"results"`
		AutomateIDs *sarifAutoID  `json:"automationDetails,omitempty"`
	}
	sarifAutoID struct {
		ID string `json:"id"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string            `json:"name"`
		Version        string            `json:"version,omitempty"`
		InformationURI string            `json:"informationUri,omitempty"`
		Rules          []sarifDescriptor `json:"rules"`
	}
	sarifDescriptor struct {
		ID                   string         `json:"id"`
		ShortDescription     sarifText      `json:"shortDescription"`
		FullDescription      sarifText      `json:"fullDescription"`
		Help                 sarifText      `json:"help"`
		DefaultConfiguration sarifConfig    `json:"defaultConfiguration"`
		Properties           sarifRuleExtra `json:"properties"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifRuleExtra struct {
		Tags     []string `json:"tags"`
		Severity string   `json:"problem.severity"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Level               string            `json:"level"`
		Message             sarifText         `json:"message"`
		Locations           []sarifLocation   `json:"locations"`
		RelatedLocations    []sarifLocation   `json:"relatedLocations,omitempty"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
		Properties          sarifResultExtra  `json:"properties"`
	}
	sarifResultExtra struct {
		Severity string `json:"severity"`
	}
	sarifLocation struct {
		ID               *int           `json:"id,omitempty"`
		PhysicalLocation sarifPhysical  `json:"physicalLocation"`
		LogicalLocations []sarifLogical `json:"logicalLocations,omitempty"`
		Message          *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI       string `json:"uri"`
		URIBaseID string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
)

// WriteSARIF writes the findings as one run of a SARIF 2.1.0 log, with what GitHub's
// code scanning asks for: each result has a rule, a level, a location and a
// fingerprint that stays when lines move. The error is that of w.
func WriteSARIF(w io.Writer, fs []Finding, opt SARIFOptions) error {
	s := sarifWriter{opt: opt, index: map[string]int{}}
	s.driver = sarifDriver{Name: opt.Tool, Version: opt.Version, InformationURI: opt.URL, Rules: []sarifDescriptor{}}
	for _, r := range opt.Rules {
		s.rule(r)
	}
	results := make([]sarifResult, 0, len(fs))
	marks := Fingerprints(fs, Options{Dir: opt.Dir})
	for i := range fs {
		results = append(results, s.result(&fs[i], marks[i]))
	}
	log := sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{{
		Tool: sarifTool{s.driver}, ColumnKind: "unicodeCodePoints", Results: results,
		AutomateIDs: &sarifAutoID{ID: opt.Tool + "/"},
	}}}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(log)
}

type sarifWriter struct {
	opt    SARIFOptions
	driver sarifDriver
	index  map[string]int // of a rule in driver.Rules
}

func (s *sarifWriter) rule(r SARIFRule) {
	level := sarifLevel(r.Tier)
	extra := sarifRuleExtra{Tags: []string{"reliability", r.Tier}, Severity: level}
	if level == "note" {
		extra.Severity = "recommendation"
	}
	s.index[r.ID] = len(s.driver.Rules)
	s.driver.Rules = append(s.driver.Rules, sarifDescriptor{
		ID: r.ID, ShortDescription: sarifText{r.Short}, FullDescription: sarifText{r.Full}, Help: sarifText{r.Help},
		DefaultConfiguration: sarifConfig{level}, Properties: extra,
	})
}

func (s *sarifWriter) result(f *Finding, mark string) sarifResult {
	if _, ok := s.index[f.Code]; !ok {
		text := "A fault of the document: " + f.Code + "."
		s.rule(SARIFRule{ID: f.Code, Tier: f.Tier, Short: text, Full: text, Help: text})
	}
	lines := []string{Escape(f.Message)}
	for _, more := range []string{f.Why, f.Hint} {
		if more != "" {
			lines = append(lines, Escape(more))
		}
	}
	at := s.location(f.Pos)
	if f.Pointer != "" {
		at.LogicalLocations = []sarifLogical{{FullyQualifiedName: f.Pointer, Kind: "object"}}
	}
	out := sarifResult{
		RuleID: f.Code, RuleIndex: s.index[f.Code], Level: sarifLevel(f.Tier), Message: sarifText{strings.Join(lines, "\n")},
		Locations: []sarifLocation{at}, PartialFingerprints: map[string]string{"primaryLocationLineHash": mark},
		Properties: sarifResultExtra{f.Tier},
	}
	for i, r := range f.Related {
		related := s.location(r.Pos)
		id := i + 1
		related.ID, related.Message = &id, &sarifText{Escape(r.Message)}
		out.RelatedLocations = append(out.RelatedLocations, related)
	}
	return out
}

func sarifLevel(tier string) string {
	switch tier {
	case "critical":
		return "error"
	case "major":
		return "warning"
	}
	return "note"
}

// location is a place; a file as a whole is its first character, since GitHub shows
// nothing without a line.
func (s *sarifWriter) location(p Pos) sarifLocation {
	return sarifLocation{PhysicalLocation: sarifPhysical{
		ArtifactLocation: sarifFile(relative(s.opt.Dir, p.File)),
		Region:           sarifRegion{StartLine: max(p.Line, 1), StartColumn: max(p.Col, 1)},
	}}
}

// sarifFile is a file as a URI: a path below the root of the sources, or where the
// document lies.
func sarifFile(file string) sarifArtifact {
	if strings.HasPrefix(file, "https://") || strings.HasPrefix(file, "http://") {
		if u, err := url.Parse(file); err == nil {
			return sarifArtifact{URI: u.String()}
		}
	}
	path := slashed(file)
	if strings.HasPrefix(path, "/") || len(path) > 2 && path[1] == ':' && path[2] == '/' {
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(path, "/")}).String()}
	}
	if path == "" {
		path = "-"
	}
	// RequestURI would add a slash; EscapedPath keeps a colon in the first segment
	// from being read as a scheme only with the dot in front.
	escaped := (&url.URL{Path: path}).EscapedPath()
	if first, _, _ := strings.Cut(escaped, "/"); strings.Contains(first, ":") {
		escaped = "./" + escaped
	}
	return sarifArtifact{URI: escaped, URIBaseID: "%SRCROOT%"}
}
