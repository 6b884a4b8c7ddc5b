package redis_test

import (
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// TestAddress opens good addresses without anybody there, and refuses others without a word of them.
func TestAddress(t *testing.T) {
	for _, good := range []string{
		"redis://127.0.0.1:1", "redis://localhost", "redis://:s3cr3t@h:6379/0", "rediss://u:s3cr3t@redis.example.org:6380/15", "redis://[::1]:6379/",
	} {
		a, err := redis.Parse(good)
		if err != nil {
			t.Errorf("%s: %v", good, err)
			continue
		}
		if err := redis.Open(a, redis.Config{}).Close(); err != nil {
			t.Errorf("%s: close: %v", good, err)
		}
	}
	for _, bad := range []string{
		"s3cr3t",
		"http://u:s3cr3t@h:6379",
		"unix:///s3cr3t.sock",
		"127.0.0.1:6379",
		"redis:s3cr3t",
		"redis://",
		"redis://:s3cr3t@:6379",
		"redis://:s3cr3t%@h:6379",
		"redis://:s3cr3t/word@h",
		"redis://:s3cr3t@h/one",
		"redis://:s3cr3t@h/-1",
		"redis://:s3cr3t@h/1/2",
		"redis://:s3cr3t@h/?color=s3cr3t",
		"redis://:s3cr3t@h?pool_size=s3cr3t",
		"redis://:s3cr3t#word@h:6379",
		"redis://h/0#s3cr3t",
		"redis://h?db=3",
		"redis://h/0?",
		"redis://h:65536",
		"redis://h/2147483648",
		"redis://:s3cr3t@h:6379 ",
		"rediss://h/0?skip_verify=s3cr3t",
		"redis://:s3cr3t@h:6379,redis://h2:6379",
	} {
		_, err := redis.Parse(bad)
		if err == nil {
			t.Errorf("%s was taken for an address", bad)
			continue
		}
		if text := err.Error(); strings.Contains(text, "s3cr3t") || !strings.Contains(text, "want redis://HOST:6379") {
			t.Errorf("%s: %s; want no part of the address", bad, text)
		}
	}
}
