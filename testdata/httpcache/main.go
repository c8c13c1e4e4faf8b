// Command httpcache is a small reverse proxy around package runtime/cache, for the
// public suite http-cache-tests. See README.md.
package main

import (
	"flag"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/cache"
)

func main() {
	listen := flag.String("listen", "localhost:8001", "address to serve on")
	origin := flag.String("origin", "http://localhost:8000", "server to ask")
	shared := flag.Bool("shared", true, "be a shared cache, which is what a proxy is")
	off := flag.Bool("off", false, "store nothing, for comparison")
	targets := flag.String("targets", "", "fields with directives for this cache, such as CDN-Cache-Control; comma between them")
	flag.Parse()
	target, err := url.Parse(*origin)
	if err != nil {
		log.Fatal(err)
	}
	rules := cache.DefaultRules()
	rules.SameForAll = *shared // the suite has no users
	options := cache.Options{Shared: *shared}
	if *targets != "" {
		options.Targets = strings.Split(*targets, ",")
	}
	base := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 200}
	var transport http.RoundTripper = &cache.Transport{
		Cache: cache.New(options), Base: base, Rules: rules,
	}
	if *off {
		transport = base
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			if slices.Contains(options.Targets, "Surrogate-Control") {
				// Origins ask for it before they use the field, and address it by this name.
				r.Out.Header.Set("Surrogate-Capability", `holdfast="Surrogate/1.0"`)
			}
		},
		Transport: transport,
		ErrorLog:  log.New(log.Writer(), "proxy: ", 0),
	}
	server := &http.Server{Addr: *listen, Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
