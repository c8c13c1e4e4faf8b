package load

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// Defaults of Options and the bound on all files of a document together.
const (
	defaultTimeout  = 30 * time.Second
	defaultMaxFiles = 20_000
	maxTotalNodes   = 2 * maxNodes
	maxTotalBytes   = 4 * maxFileBytes
)

// Options says what to load and within which bounds. Zero bounds mean the
// defaults given.
type Options struct {
	// Path of the root document, absolute or relative to the working folder;
	// with AllowRemote it may be an http or https URL.
	Path string
	// Overlays are the paths of OpenAPI Overlay documents to apply to the root
	// document, in this order and before anything else is read of it.
	Overlays []string
	// AllowRemote lets the document and its references use http and https.
	AllowRemote bool
	// Read, if not nil, reads local files, by their absolute paths, in the place of
	// the file system: those of an earlier version of a repository, say. Its error
	// is one of fs for a file that is not there.
	Read func(path string) ([]byte, error)
	// Client fetches remote files; nil means one of our own. Redirects are
	// checked either way.
	Client *http.Client
	// Timeout bounds the fetch of one remote file; 30 s.
	Timeout time.Duration
	// MaxFileBytes bounds one file, after decompression; 64 MiB.
	MaxFileBytes int64
	// MaxFiles bounds the number of files; 20,000.
	MaxFiles int
}

// Document is a root document together with every file that its references
// have reached so far. It is not for concurrent use.
type Document struct {
	Root        *File
	Version     Version
	VersionText string // of the field openapi, as written

	// ctx is that of Load: references are resolved, and with them files
	// fetched, while a run that was started with it goes on.
	ctx     context.Context //nolint:containedctx // see above
	opt     Options
	client  *http.Client
	files   []*File
	byPath  map[string]*File  // nil for a file that failed
	failed  map[string]*fault // why it failed; nil where its own error says it
	refused map[*Node]bool    // references reported already
	byURI   map[string]*Node  // $id and $self of the first files
	indexed int               // how many those are
	layers  map[*Node][]Member

	overlays []*File
	added    int // values that they brought
	nodes    int
	bytes    int64
}

// Load reads the document at opt.Path and checks its version. Faults go to
// list. The result is nil, and list has an error, when the root cannot be read
// or follows no supported version. References are resolved on demand. The
// context bounds remote fetches, those of Resolve included.
func Load(ctx context.Context, opt Options, list *diag.List) *Document {
	if opt.Timeout <= 0 {
		opt.Timeout = defaultTimeout
	}
	if opt.MaxFileBytes <= 0 {
		opt.MaxFileBytes = maxFileBytes
	}
	if opt.MaxFiles <= 0 {
		opt.MaxFiles = defaultMaxFiles
	}
	d := &Document{
		ctx: ctx, opt: opt, client: safeClient(opt.Client),
		byPath: map[string]*File{}, failed: map[string]*fault{}, refused: map[*Node]bool{},
		byURI: map[string]*Node{},
	}
	root := rootLocation(opt.Path)
	file, bad := d.open(root, list) //nolint:contextcheck // d holds it
	if bad != nil {
		list.Error(diag.Pos{File: root.name}, bad.code, "", "cannot read the document: %s", bad.message).Hint = bad.hint
	}
	if file == nil {
		return nil
	}
	d.Root = file
	if file.Root.Kind != Object {
		list.Error(file.Root.Pos(), "root-type", "", "the document root must be a mapping, got a %s", file.Root.Kind)
		return nil
	}
	for _, path := range opt.Overlays {
		d.overlay(path, list) //nolint:contextcheck // d holds it
	}
	d.Version, d.VersionText = versionOf(file.Root, list)
	if d.Version == 0 {
		return nil
	}
	return d
}

// Files returns the files read so far, the root first and the others in the
// order in which references reached them. Overlays are not among them: what they
// bring stands in the tree of the root.
func (d *Document) Files() []*File { return d.files }

// Lines returns the lines of a file by its name, nil when the document has no
// such file. It fits the excerpts of package diag.
func (d *Document) Lines(name string) []string {
	for _, files := range [][]*File{d.files, d.overlays} {
		for _, f := range files {
			if f.Name == name {
				return f.Lines()
			}
		}
	}
	return nil
}

// open returns the file at loc, read at most once. The fault is nil when the
// file is there or when list already says why it is not.
func (d *Document) open(loc location, list *diag.List) (*File, *fault) {
	id := loc.id()
	if f, ok := d.byPath[id]; ok {
		return f, d.failed[id]
	}
	f, bad := d.read(loc, list)
	d.byPath[id] = f
	if f == nil {
		d.failed[id] = bad
		return nil, bad
	}
	d.files = append(d.files, f)
	return f, nil
}

func (d *Document) read(loc location, list *diag.List) (*File, *fault) {
	if len(d.files) >= d.opt.MaxFiles {
		return nil, &fault{code: "too-many-files", message: fmt.Sprintf("the document has more than %d files", d.opt.MaxFiles)}
	}
	f := &File{Name: loc.name, Path: loc.id(), url: loc.url}
	var data []byte
	var bad *fault
	if loc.url != nil {
		data, bad = d.fetch(f)
	} else {
		data, bad = d.readLocal(loc.path)
	}
	if bad != nil {
		return nil, bad
	}
	if d.bytes += int64(len(data)); d.bytes > max(maxTotalBytes, d.opt.MaxFileBytes) {
		return nil, &fault{code: "too-large", message: fmt.Sprintf("the files of the document are larger than %s together", sizeText(maxTotalBytes))}
	}
	n := f.parse(data, min(maxNodes, maxTotalNodes-d.nodes), list)
	if n == 0 {
		return nil, nil
	}
	d.nodes += n
	return f, nil
}

func sizeText(n int64) string {
	for _, unit := range []string{"bytes", "KiB", "MiB"} {
		if n < 1024 || n%1024 != 0 {
			return fmt.Sprintf("%d %s", n, unit)
		}
		n /= 1024
	}
	return fmt.Sprintf("%d GiB", n)
}

// isURL reports whether a path given by a user is an http or https URL.
func isURL(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}
