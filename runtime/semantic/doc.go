// Package semantic finds answers to questions that were asked before in other words.
//
// A [Cache] keeps the answers of calls whose request is a text, such as those to a
// language model. When the service fails, [Cache.Nearest] compares the new text with the
// old ones by the cosine of their embeddings, and gives the answer of the nearest one if
// it is near enough. It is meant as a fallback, not as a cache in front of a service: an
// answer to a similar question beats no answer, and loses to the right one.
//
// # What is compared
//
// Only the text may differ. Of a JSON body, the text is what stands in the members
// messages, prompt and input, or at the pointers that [Pointers] names instead:
//
//   - a string is text, and so are the strings of an array;
//   - of an object, such as a message, the members content, text and parts are looked
//     into, if its role is user, human, assistant or model, or it has none;
//   - all else is no text: roles, the messages of the system, of developers and of tools,
//     images, and every other member of the body.
//
// A body that has none of the members is text as a whole. What is no text has to be the
// same to the letter, whatever order the members come in: the model, its tools and its
// temperature, how many messages there are and who said which. So have the operation and
// the [Request]'s principal and parameters: nobody gets an answer that was given to
// somebody else.
//
// # When texts are embedded
//
// Nothing is embedded while calls succeed. An embedding costs a request of its own, most
// answers are never asked for again, and failures are rare, so that embedding each text
// as it is stored would double the requests of all calls for the sake of few. A text is
// embedded once: in the first rescue that may need it, together with those of its kind
// that are not embedded yet, most recently used first. That is bounded by the context of
// the rescue and by [MaxFill] texts; what was not reached is left for the next rescue.
// The same text asked again needs no embedding at all.
//
// An [Embedder] that is also a [BatchEmbedder] gets many texts at once, which is what
// makes the first rescue find much in little time. No goroutine is started: everything
// happens on that of the caller.
package semantic
