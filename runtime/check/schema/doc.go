// Package schema holds JSON values to the keywords of JSON Schema 2020-12 that Go
// types cannot say: not, if, contains, dependentSchemas, unevaluatedProperties and
// their like.
//
// Generated types check their own members, bounds and lengths. Where a document says
// more than that, the generated package has a [Set] with the rest, as JSON Schema, and
// hands a [Rule] of it to package json, which runs it over the text that is read:
//
//	var schemas = schema.NewSet(map[string]string{
//		"Order": `{"dependentRequired": {"card": ["name"]}}`,
//	})
//	var ruleOrder = schemas.Rule("Order")
//
// Schemas are compiled when the first value comes, once. What a value costs is bounded
// by its length and by the schema, whatever the two look like: see [Rule.Check].
package schema
