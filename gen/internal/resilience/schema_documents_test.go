package resilience

import "slices"

// The schemas of whole documents. They hold the language themselves, so that an editor
// needs no network, and leave open what is not about x-resilience: that a document is
// one of OpenAPI is for OpenAPI's own schema to say.

const writtenBy = "Written by HOLDFAST_RECORD=1 go test ./gen/internal/resilience -run TestWritten from the grammar; do not edit."

// documentSchema is that of OpenAPI documents.
func documentSchema(words *glossary) schema {
	g := &generator{glossary: words}
	g.places()
	document, _ := g.defs.get("document").(schema)
	g.defs = slices.DeleteFunc(g.defs, func(e entry) bool { return e.key == "document" })
	return append(header("openapi-x-resilience.schema.json", "OpenAPI with x-resilience",
		"Where x-resilience may stand in an OpenAPI 3.0, 3.1 or 3.2 document, and what may stand there. Everything else is left open."),
		append(document[2:], entry{"$defs", g.defs})...)
}

// overlaySchema is that of overlays.
func overlaySchema(words *glossary) schema {
	g := &generator{glossary: words}
	g.places()
	g.def("fragment", schema{
		{"title", "Fragment"}, {"description", "A part of a document, with x-resilience where its place has one."},
		{"properties", schema{{key, ref("either")}}},
		{"additionalProperties", ref("fragment")}, {"items", ref("fragment")},
	})
	g.def("either", schema{
		{"title", key}, {"description", "One more level at this place, directly above what stands there. With `version` it is that of the root."},
		{"if", has("version")}, {"then", ref("root")}, {"else", ref("level")},
	})
	action := schema{
		{"properties", schema{
			{"target", schema{{"description", "What is changed, as a JSONPath."}, {"type", "string"}}},
			{"description", note()},
			{"update", schema{{"description", "What is merged into each target."}}},
		}},
		{"if", schema{{"properties", schema{{"target", schema{{"const", "$"}}}}}, {"required", []string{"target"}}}},
		{"then", schema{{"properties", schema{{"update", ref("document")}}}}},
		{"else", schema{{"properties", schema{{"update", ref("fragment")}}}}},
	}
	return append(header("overlay-x-resilience.schema.json", "Overlay with x-resilience",
		"What may stand in the x-resilience of an OpenAPI Overlay 1.0 or 1.1. Everything else is left open."),
		schema{
			{"type", "object"},
			{"properties", schema{{"actions", schema{{"type", "array"}, {"items", action}}}, {key, ref("nowhere")}}},
			{"$defs", g.defs},
		}...)
}

func header(file, title, about string) schema {
	return schema{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"$id", schemaID + file}, {"$comment", writtenBy},
		{"title", title}, {"description", about},
	}
}

// methods are the fields of a path item that hold operations.
var methods = methodKeys[:len(methodKeys)-1]

// places defines where x-resilience may stand.
func (g *generator) places() {
	g.def("root", append(schema{{"title", key}}, g.root()...))
	g.level()
	g.def("nowhere", schema{
		{"title", key}, {"description", "x-resilience may stand at the root, in tags, path items and operations."}, {"not", schema{}},
	})
	g.def("none", schema{
		{"title", "No x-resilience"}, {"description", "An object that x-resilience may not stand in."}, {"properties", schema{{key, ref("nowhere")}}},
	})
	none := ref("none")
	of := func(value schema) schema {
		return schema{{"properties", schema{{key, ref("nowhere")}}}}.with("patternProperties", schema{{skippedKey, true}}).with("additionalProperties", value)
	}
	noneEach := schema{{"items", none}}
	g.def("operation", schema{
		{"title", "Operation"}, {"description", "An operation, whose policy x-resilience is."},
		{"properties", schema{
			{key, ref("level")}, {"callbacks", of(ref("callback"))}, {"parameters", noneEach}, {"requestBody", none}, {"responses", of(none)}, {"servers", noneEach},
		}},
	})
	item := schema{{key, ref("level")}, {"parameters", noneEach}, {"servers", noneEach}}
	for _, m := range methods {
		item = item.with(m, ref("operation"))
	}
	item = item.with("additionalOperations", schema{{"additionalProperties", ref("operation")}})
	g.def("pathItem", schema{
		{"title", "Path item"}, {"description", "A path item, for whose operations x-resilience is."}, {"properties", item},
	})
	g.def("callback", append(schema{{"title", "Callback"}, {"description", "A callback by the expression for its address."}}, of(ref("pathItem"))...))
	g.def("document", schema{
		{"title", "Document"}, {"description", "An OpenAPI document."},
		{"type", "object"},
		{"properties", schema{
			{key, ref("root")}, {"info", none}, {"servers", noneEach},
			{"tags", schema{{"items", schema{{"properties", schema{{key, ref("level")}}}}}}},
			{"paths", of(ref("pathItem"))}, {"webhooks", of(ref("pathItem"))},
			{"components", schema{{"properties", schema{
				{key, ref("nowhere")},
				{"pathItems", of(ref("pathItem"))}, {"callbacks", of(ref("callback"))}, {"parameters", of(none)}, {"responses", of(none)}, {"requestBodies", of(none)},
			}}}},
		}},
	})
}
