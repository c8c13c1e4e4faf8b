package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const maxRedirects = 5

func (d *Document) readLocal(path string) ([]byte, *fault) {
	if d.opt.Read != nil {
		data, err := d.opt.Read(path)
		switch {
		case err != nil:
			return nil, localFault(err)
		case int64(len(data)) > d.opt.MaxFileBytes:
			return nil, d.tooLarge()
		}
		return data, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, localFault(err)
	}
	// A pipe or device could block for ever or never end.
	if !info.Mode().IsRegular() {
		what := "not a regular file"
		if info.IsDir() {
			what = "a folder, not a file"
		}
		return nil, &fault{code: "not-a-file", message: what}
	}
	if info.Size() > d.opt.MaxFileBytes {
		return nil, d.tooLarge()
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, localFault(err)
	}
	defer f.Close()
	return d.readBounded(f, info.Size())
}

func localFault(err error) *fault {
	if errors.Is(err, fs.ErrNotExist) {
		return &fault{code: "no-such-file", message: "no such file"}
	}
	// The path is named by whoever reports this.
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	return &fault{code: "unreadable-file", message: err.Error()}
}

func (d *Document) tooLarge() *fault {
	return &fault{code: "too-large", message: "larger than " + sizeText(d.opt.MaxFileBytes)}
}

// readBounded reads all of r, whose size is known roughly, if it is no larger
// than a file may be.
func (d *Document) readBounded(r io.Reader, size int64) ([]byte, *fault) {
	size = min(max(size, 0), d.opt.MaxFileBytes)
	data := make([]byte, 0, size+512)
	r = io.LimitReader(r, d.opt.MaxFileBytes+1)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if int64(len(data)) > d.opt.MaxFileBytes {
			return nil, d.tooLarge()
		}
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, &fault{code: "unreadable-file", message: "reading failed: " + err.Error()}
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

// safeClient returns a client that follows few redirects, none of them to another
// scheme or from https down to http.
func safeClient(base *http.Client) *http.Client {
	c := &http.Client{}
	if base != nil {
		*c = *base
	}
	inner := c.CheckRedirect
	c.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		scheme := req.URL.Scheme
		switch {
		case len(via) > maxRedirects:
			return fmt.Errorf("more than %d redirects", maxRedirects)
		case scheme != "http" && scheme != "https":
			return fmt.Errorf("redirected to the scheme %q", scheme)
		case scheme == "http" && via[len(via)-1].URL.Scheme == "https":
			return errors.New("redirected from https to http")
		case inner != nil:
			return inner(req, via)
		}
		return nil
	}
	return c
}

// fetch reads the remote file f. Its URL becomes that of the last redirect, as
// references are relative to where a document was found.
func (d *Document) fetch(f *File) ([]byte, *fault) {
	if !d.opt.AllowRemote {
		return nil, &fault{
			code: "remote-ref", message: "remote references are off by default",
			hint: "pass --allow-remote to let the document load it, or save it next to the document",
		}
	}
	ctx, cancel := context.WithTimeout(d.ctx, d.opt.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url.String(), http.NoBody)
	if err != nil {
		return nil, d.remoteFault(ctx, err)
	}
	req.Header.Set("Accept", "application/json, application/yaml, text/yaml, */*;q=0.8")
	resp, err := d.client.Do(req)
	if err != nil {
		return nil, d.remoteFault(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, &fault{code: "remote-failed", message: "the server answered " + clip(resp.Status)}
	}
	data, bad := d.readBounded(resp.Body, resp.ContentLength)
	if bad != nil {
		if ctx.Err() != nil {
			bad = d.remoteFault(ctx, ctx.Err())
		}
		return nil, bad
	}
	if resp.Request != nil && resp.Request.URL != nil {
		f.url = resp.Request.URL
	}
	return data, nil
}

// remoteFault words an error of the HTTP client without the URL, which may hold
// a password and is named by whoever reports this.
func (d *Document) remoteFault(ctx context.Context, err error) *fault {
	if urlErr, ok := errors.AsType[*url.Error](err); ok {
		err = urlErr.Err
	}
	text := err.Error()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && d.ctx.Err() == nil {
		text = fmt.Sprintf("no answer within %s", d.opt.Timeout.Round(time.Millisecond))
	}
	return &fault{code: "remote-failed", message: "fetching failed: " + strings.TrimSpace(clip(text))}
}
