package git

import (
	"context"
	"strings"
)

// Origin returns the web address of the repository that a folder was cloned from, without user,
// password and the suffix .git. It is empty if there is none, or if it is no web address.
func Origin(ctx context.Context, folder string) string {
	text, err := newCommand(ctx, folder, "config", "--get", "remote.origin.url").output()
	if err != nil {
		return ""
	}
	address := Public(strings.TrimSpace(text))
	// git@host:team/name and ssh://host/team/name become https://host/team/name.
	user, rest, ok := strings.Cut(address, "@")
	if ok && !strings.Contains(address, "://") && !strings.ContainsAny(user, "/:") {
		host, path, _ := strings.Cut(rest, ":")
		address = "https://" + host + "/" + path
	}
	address = strings.Replace(address, "ssh://", "https://", 1)
	if !strings.HasPrefix(address, "https://") {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSuffix(address, "/"), ".git")
}
