package deploy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// releases is the Dockerfile of the release images.
const releases = top + "/.ci/release/Dockerfile"

// image returns the instructions for the last image of a Dockerfile, the sidecar's.
func image(t *testing.T, file string) (last []instruction) {
	t.Helper()
	for _, in := range instructions(read(t, file)) {
		if in.word == "FROM" {
			last = nil
		}
		last = append(last, in)
	}
	return last
}

func one(t *testing.T, ins []instruction, word string) string {
	t.Helper()
	for _, in := range ins {
		if in.word == word {
			return in.rest
		}
	}
	t.Fatalf("the Dockerfile's image has no %s", word)
	return ""
}

// TestDockerfile checks the documented properties of the images.
func TestDockerfile(t *testing.T) {
	for _, file := range []string{"Dockerfile", releases} {
		users := 0
		for _, in := range instructions(read(t, file)) {
			name, _, _ := strings.Cut(in.rest, " ")
			if in.word == "FROM" && name != "scratch" &&
				!regexp.MustCompile(`:[0-9]+\.[0-9]+\.[0-9]+`).MatchString(name) {
				t.Errorf("%s: FROM %s: the base has no whole version", file, name)
			}
			if in.word == "USER" {
				users++
				if strings.HasPrefix(in.rest, "0") ||
					!regexp.MustCompile(`^[0-9]+:[0-9]+$`).MatchString(in.rest) {
					t.Errorf("%s: USER %s: want numbers, and not root's: Kubernetes cannot tell "+
						"a name from root", file, in.rest)
				}
			}
		}
		if want := map[string]int{"Dockerfile": 1, releases: 2}[file]; users != want {
			t.Errorf("%s has %d images with a USER, want %d", file, users, want)
		}
	}
	netlify := regexp.MustCompile(`GO_VERSION = "(.*)"`).FindStringSubmatch(read(t,
		top+"/netlify.toml"))
	if len(netlify) != 2 ||
		!strings.Contains(read(t, "Dockerfile"), "FROM golang:"+netlify[1]+"-") {
		t.Errorf("the Dockerfile and netlify.toml (%q) build with different versions of Go",
			netlify)
	}
	last := image(t, "Dockerfile")
	for _, word := range []string{"USER", "ENV", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT"} {
		if got, want := one(t, image(t, releases), word), one(t, last, word); got != want {
			t.Errorf("%s %s of a release; want %s, as from a checkout", word, got, want)
		}
	}
	if addr := one(t, last, "ENV"); addr != "SIDECAR_ADDR=0.0.0.0:"+one(t, last, "EXPOSE") {
		t.Errorf("ENV %s and EXPOSE %s do not agree", addr, one(t, last, "EXPOSE"))
	}
	testenv.Program(t, "dockerfile-utils", "dockerfile-utils")
	for _, file := range []string{"Dockerfile", releases} {
		out, err := exec.CommandContext(t.Context(), "dockerfile-utils", "lint",
			file).CombinedOutput()
		if err != nil || len(bytes.TrimSpace(out)) > 0 {
			t.Errorf("dockerfile-utils lint %s: %v\n%s", file, err, out)
		}
	}
}

// TestImageRuns runs the image's binary like the image: on an otherwise empty, read-only file
// system, as the image's user, with its entry point and its health check.
func TestImageRuns(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		testenv.Missing(t, "root", "only root can run a program in another root folder")
	}
	program := sidecar(t)
	root := t.TempDir()
	_, public := published(t)
	b, err := os.ReadFile(program)
	err = errors.Join(err, os.WriteFile(filepath.Join(root, "sidecar"), b, 0o755),
		os.CopyFS(filepath.Join(root, "site"), os.DirFS(public)), os.Chmod(root, 0o755))
	if err != nil {
		t.Fatal(err)
	}
	last := image(t, "Dockerfile")
	uid, gid, _ := strings.Cut(one(t, last, "USER"), ":")
	u, err := strconv.ParseUint(uid, 10, 32)
	g, err2 := strconv.ParseUint(gid, 10, 32)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	within := func(line string, variables ...string) *exec.Cmd {
		var argv []string
		if err := json.Unmarshal([]byte(line[strings.Index(line, "["):]), &argv); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = "/", variables
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root,
			Credential: &syscall.Credential{Uid: uint32(u), Gid: uint32(g)}}
		return cmd
	}
	port := ready(t, logOf(t,
		within(one(t, last, "ENTRYPOINT"), "SIDECAR_ADDR=127.0.0.1:0", "SIDECAR_SITE=/site")))
	if out, err := within(one(t, last, "HEALTHCHECK"),
		"SIDECAR_ADDR=0.0.0.0:"+port).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("the health check of a sidecar that is ready: %v, %s", err, out)
	}
	if out, err := within(one(t, last, "HEALTHCHECK"),
		"SIDECAR_ADDR=0.0.0.0:1").CombinedOutput(); err == nil || len(out) == 0 {
		t.Errorf("the health check where nobody listens: %v, %q; want a failure and why", err, out)
	}
}

// object is a YAML mapping.
type object = map[string]any

// documents parses every document of a YAML file.
func documents(t *testing.T, name string) []object {
	t.Helper()
	var out []object
	for dec := yaml.NewDecoder(strings.NewReader(read(t, name))); ; {
		var o object
		err := dec.Decode(&o)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, o)
	}
}

// at returns the value below keys and indexes, or nil.
func at(v any, path ...any) any {
	for _, key := range path {
		switch k := key.(type) {
		case string:
			o, _ := v.(object)
			v = o[k]
		case int:
			l, _ := v.([]any)
			if k >= len(l) {
				return nil
			}
			v = l[k]
		}
	}
	return v
}

// knownVariables fails the test for variables that --help does not explain.
func knownVariables(t *testing.T, file string, names ...string) {
	t.Helper()
	text := help(t)
	for _, name := range names {
		if strings.HasPrefix(name, "RPC_") {
			name = "RPC_<ID>"
		}
		if !strings.Contains(text, name) {
			t.Errorf("%s sets %s, of which sidecar --help says nothing", file, name)
		}
	}
}

func TestCompose(t *testing.T) {
	c := documents(t, "compose.yaml")[0]
	services, _ := c["services"].(object)
	for name, service := range services {
		if at(service, "read_only") != true || at(service, "cap_drop", 0) != "ALL" ||
			at(service, "security_opt", 0) != "no-new-privileges:true" {
			t.Errorf("%s is not hardened", name)
		}
		if image, ok := at(service, "image").(string); ok &&
			!regexp.MustCompile(`:[0-9]+\.[0-9]+`).MatchString(image) {
			t.Errorf("%s: the image %s has no version", name, image)
		}
		volumes, _ := at(service, "volumes").([]any)
		for _, v := range volumes {
			// without the variable
			volume := regexp.MustCompile(`\$\{[A-Z_]+:-(.*?)\}`).ReplaceAllString(v.(string), "$1")
			from, _, _ := strings.Cut(volume, ":")
			if strings.HasPrefix(from, ".") {
				// mipwatch build creates it
				if _, err := os.Stat(from); err != nil && from != "../../public" {
					t.Errorf("%s: %v", name, err)
				}
				if !strings.HasSuffix(v.(string), ":ro") {
					t.Errorf("%s: %s can be written to", name, v)
				}
			}
		}
		if ports, ok := at(service, "ports").([]any); ok && name != "web" {
			t.Errorf("%s can be reached from outside: %v", name, ports)
		}
	}
	s := services["sidecar"]
	environment, _ := at(s, "environment").(object)
	for name := range environment {
		knownVariables(t, "compose.yaml", name)
	}
	// A name without a value has the shell's value. One in environment would override the value of
	// a later file.
	passed := strings.Fields(regexp.MustCompile("(?m)^#.*$").ReplaceAllString(read(t,
		at(s, "env_file", 0).(string)), ""))
	knownVariables(t, "variables.env", passed...)
	for _, name := range passed {
		if _, ok := environment[name]; ok || strings.Contains(name, "=") {
			t.Errorf("%s has a value that hides the one of the shell", name)
		}
	}
	// A variable that does not reach the sidecar would be ignored silently.
	reference, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, tables, _ := strings.Cut(string(reference), "\n## Environment\n")
	tables, _, _ = strings.Cut(tables, "\n## ")
	var want []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(tables,
		-1) {
		for _, name := range regexp.MustCompile("`([A-Z_]+)`").FindAllStringSubmatch(row[1], -1) {
			want = append(want, name[1])
		}
	}
	for _, file := range []string{"internal/samples/site.yaml", "examples/monad.yaml"} {
		described, err := site.Load(filepath.Join(top, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range described.Networks {
			want = append(want, site.RPCVariable(n.ID))
		}
	}
	for _, name := range want {
		if _, ok := environment[name]; !ok && !slices.Contains(passed, name) &&
			!strings.HasPrefix(name, "SIDECAR_") {
			t.Errorf("%s does not reach the sidecar", name)
		}
	}
	if at(s, "env_file", 1, "path") == nil || at(s, "env_file", 1, "required") != false ||
		at(s, "env_file", 2) != nil {
		t.Error("the last file is not the optional one")
	}
	subnet := at(c, "networks", "inside", "ipam", "config", 0, "subnet")
	if environment["TRUSTED_PROXIES"] != subnet || subnet == nil {
		t.Errorf("TRUSTED_PROXIES is %v, and the web server in %v",
			environment["TRUSTED_PROXIES"], subnet)
	}
	dockerfile := filepath.Join(at(s, "build", "context").(string),
		at(s, "build", "dockerfile").(string))
	if _, err := os.Stat(dockerfile); err != nil {
		t.Error(err)
	}
	// The web server finds the sidecars under the name and the port in the Caddyfile.
	if want := "dynamic a {$SIDECAR_HOST:sidecar} {$SIDECAR_PORT:" + one(t, image(t, "Dockerfile"),
		"EXPOSE") + "}"; !strings.Contains(read(t, "Caddyfile"), want) {
		t.Errorf("the Caddyfile has no %q", want)
	}
	if !strings.HasSuffix(environment["REDIS_URL"].(string), "//redis:6379/0") ||
		services["redis"] == nil {
		t.Errorf("REDIS_URL %v leads to no service", environment["REDIS_URL"])
	}
}

func TestKubernetes(t *testing.T) {
	byKind := map[string]object{}
	for _, d := range documents(t, "kubernetes.yaml") {
		byKind[d["kind"].(string)] = d
		if name := at(d, "metadata", "name"); name != "mipwatch-sidecar" {
			t.Errorf("%s is called %v", d["kind"], name)
		}
	}
	pod := at(byKind["Deployment"], "spec", "template")
	labels := at(pod, "metadata", "labels")
	for what, selector := range map[string]any{
		"Deployment":          at(byKind["Deployment"], "spec", "selector", "matchLabels"),
		"Service":             at(byKind["Service"], "spec", "selector"),
		"PodDisruptionBudget": at(byKind["PodDisruptionBudget"], "spec", "selector", "matchLabels"),
		"NetworkPolicy":       at(byKind["NetworkPolicy"], "spec", "podSelector", "matchLabels"),
	} {
		if a, _ := json.Marshal(selector); selector == nil || string(a) != marshal(t, labels) {
			t.Errorf("%s selects %v, and pods are %v", what, selector, labels)
		}
	}
	container := at(pod, "spec", "containers", 0)
	port := at(container, "ports", 0)
	if p := strconv.Itoa(at(port, "containerPort").(int)); p != one(t, image(t, "Dockerfile"),
		"EXPOSE") || at(byKind["Service"], "spec", "ports", 0, "targetPort") != at(port, "name") ||
		at(byKind["NetworkPolicy"], "spec", "ingress", 0, "ports", 0, "port") != at(port, "name") {
		t.Errorf("ports do not agree: %v", port)
	}
	for probe, path := range map[string]string{"startupProbe": "/healthz",
		"livenessProbe": "/healthz", "readinessProbe": "/readyz"} {
		got := at(container, probe, "httpGet", "path")
		if got != path || !strings.Contains(help(t), path) ||
			at(container, probe, "httpGet", "port") != at(port, "name") {
			t.Errorf("%s asks %v", probe, got)
		}
	}
	variables, _ := at(container, "env").([]any)
	for i, v := range variables {
		knownVariables(t, "kubernetes.yaml", at(v, "name").(string))
		if at(v, "name") == "SIDECAR_ADDR" &&
			at(variables, i, "value") != "0.0.0.0:"+one(t, image(t, "Dockerfile"), "EXPOSE") {
			t.Errorf("SIDECAR_ADDR is %v", at(v, "value"))
		}
	}
	if metrics := at(container, "ports", 1); at(metrics, "name") != "metrics" ||
		at(byKind["NetworkPolicy"], "spec", "ingress", 1, "ports", 0, "port") != "metrics" ||
		at(variables, 1, "value") != "0.0.0.0:"+strconv.Itoa(at(metrics, "containerPort").(int)) {
		t.Errorf("the port of the figures is %v", metrics)
	}
	user, _, _ := strings.Cut(one(t, image(t, "Dockerfile"), "USER"), ":")
	if strconv.Itoa(at(pod, "spec", "securityContext", "runAsUser").(int)) != user ||
		at(pod, "spec", "securityContext", "runAsNonRoot") != true ||
		at(container, "securityContext", "readOnlyRootFilesystem") != true ||
		at(container, "securityContext", "allowPrivilegeEscalation") != false {
		t.Error("the pod is not hardened, or runs as another user than the image")
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestUnit compares the unit with the program's flags and variables, and verifies it with systemd
// if available.
func TestUnit(t *testing.T) {
	unit := read(t, "mipwatch-sidecar.service")
	for _, m := range regexp.MustCompile(`(?m)^Environment=([A-Z_]+)=`).FindAllStringSubmatch(unit,
		-1) {
		knownVariables(t, "the unit", m[1])
	}
	start := regexp.MustCompile(`(?m)^ExecStart=(\S+) (.*)$`).FindStringSubmatch(unit)
	if start == nil {
		t.Fatal("the unit starts nothing")
	}
	// With an address on which nobody can listen, the program still parses the whole command line
	// and the configuration.
	args := strings.Fields(strings.NewReplacer("127.0.0.1:8081", "192.0.2.1:1", "127.0.0.1:9091",
		"127.0.0.1:0", "/srv/mipwatch/public", t.TempDir(), "/etc/mipwatch/site.yaml",
		top+"/internal/samples/site.yaml").Replace(start[2]))
	out, err := exec.CommandContext(t.Context(), sidecar(t), args...).CombinedOutput()
	if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 3 {
		t.Errorf("sidecar %q: %v\n%s\nwant that it cannot listen", args, err, out)
	}
	testenv.Program(t, "systemd", "systemd-analyze")
	name := filepath.Join(t.TempDir(), "mipwatch-sidecar.service")
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(unit, start[1], sidecar(t))),
		0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no",
		"--recursive-errors=no", name).CombinedOutput(); err != nil ||
		bytes.Contains(out, []byte("mipwatch-sidecar.service:")) {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	// 10 is a service without any protection.
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true",
		"--threshold=20", name).CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		t.Errorf("systemd-analyze security: %v\n%s", err, strings.Join(slices.Compact(lines), "\n"))
	}
}
