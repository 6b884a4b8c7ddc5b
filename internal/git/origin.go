package git

import (
	"context"
	"strings"
)

// Origin is the web address of the repository that a folder was cloned from, without user, password and the ending .git.
// It is empty where there is none, or git knows it by no address of the web.
func Origin(ctx context.Context, folder string) string {
	text, err := newCommand(ctx, folder, "config", "--get", "remote.origin.url").output()
	if err != nil {
		return ""
	}
	address := Public(strings.TrimSpace(text))
	// git@host:team/name and ssh://host/team/name are at https://host/team/name, too.
	if user, rest, ok := strings.Cut(address, "@"); ok && !strings.Contains(address, "://") && !strings.ContainsAny(user, "/:") {
		host, path, _ := strings.Cut(rest, ":")
		address = "https://" + host + "/" + path
	}
	address = strings.Replace(address, "ssh://", "https://", 1)
	if !strings.HasPrefix(address, "https://") {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSuffix(address, "/"), ".git")
}
