package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// checkTimeout is shorter than what container engines allow a check by themselves.
const checkTimeout = 3 * time.Second

// check asks the sidecar that listens on an address whether it is ready. The error says why it is not. It is for health
// checks in containers that have no other program.
func check(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(addr)+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	// A proxy of the environment is not between a process and its own machine.
	client := &http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s does not answer within %s", req.URL.Host, checkTimeout)
	case err != nil:
		return fmt.Errorf("not ready: %w", err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s answers %s", req.URL.Host, res.Status)
	}
	return nil
}

// reachable returns the address at which a server is asked that listens on addr. A server that listens on all addresses
// is asked on the loopback one.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	ip, bad := netip.ParseAddr(host)
	switch {
	case err != nil:
		return addr
	case host == "", bad == nil && ip.IsUnspecified() && ip.Is4():
		host = "127.0.0.1"
	case bad == nil && ip.IsUnspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}
