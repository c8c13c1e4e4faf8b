package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// published is a large document that stands beside the checkout, if it does.
const published = "../../../shared/corpus/specs/github.json"

var (
	parameter = regexp.MustCompile(`\{([^{}]+)\}`)
	mixed     = regexp.MustCompile(`[^/]\{|\}[^/]`)
)

// writeRoutes writes a document that has nothing but routes: those of the published
// one, or as many of the same shape. Segments that are text and parameter at once
// are left out, since not every router of the comparison knows them.
func writeRoutes(file string) error {
	routes, err := publishedRoutes()
	if os.IsNotExist(err) {
		fmt.Println("no", published, "here: routes of the same shape are made up")
		routes, err = inventedRoutes(), nil
	}
	if err != nil {
		return err
	}
	paths := map[string]any{}
	for path, methods := range routes {
		if mixed.MatchString(path) {
			continue
		}
		item := map[string]any{}
		if names := parameter.FindAllStringSubmatch(path, -1); names != nil {
			var list []any
			for _, name := range names {
				list = append(list, map[string]any{"name": name[1], "in": "path", "required": true, "schema": map[string]any{"type": "string"}})
			}
			item["parameters"] = list
		}
		for _, method := range methods {
			item[method] = map[string]any{"responses": map[string]any{"204": map[string]any{"description": "done"}}}
		}
		paths[path] = item
	}
	text, err := json.MarshalIndent(map[string]any{
		"openapi": "3.0.3", "info": map[string]any{"title": "Routes", "version": "1"}, "paths": paths,
	}, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

func publishedRoutes() (map[string][]string, error) {
	text, err := os.ReadFile(published)
	if err != nil {
		return nil, err
	}
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	routes := map[string][]string{}
	for path, item := range document.Paths {
		for _, method := range []string{"get", "put", "post", "delete", "patch"} {
			if _, ok := item[method]; ok {
				routes[path] = append(routes[path], method)
			}
		}
	}
	return routes, nil
}

// inventedRoutes are about 800 paths of two to seven segments below three kinds of
// owners, as large services have them.
func inventedRoutes() map[string][]string {
	routes := map[string][]string{}
	things := strings.Fields("actions branches checks commits deploys events forks hooks issues jobs keys labels milestones notes pages pulls releases stars tags topics traffic webhooks workflows")
	for _, owner := range []string{"/orgs/{org}", "/repos/{owner}/{repo}", "/users/{user}"} {
		for _, thing := range things {
			for _, part := range []string{"", "/items", "/rules"} {
				at := owner + "/" + thing + part
				routes[at] = []string{"get", "post"}
				routes[at+"/{id}"] = []string{"get", "patch", "delete"}
				routes[at+"/{id}/state"] = []string{"get", "put"}
				routes[at+"/{id}/members/{name}"] = []string{"put", "delete"}
			}
		}
	}
	return routes
}
