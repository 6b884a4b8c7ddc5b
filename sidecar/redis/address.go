package redis

import (
	"errors"
	"net/url"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// What is wrong with an address, in words that hold no part of it: any may be a password.
const want = "want redis://HOST:6379, or rediss://HOST:6379 for TLS, with USER:PASSWORD@ before the host and /N after it for the database N if need be"

var (
	errAddress  = errors.New(want + "; what is given is no address, perhaps because of a character in the password that must be written as %XX")
	errScheme   = errors.New(want + "; what is given begins with neither")
	errHost     = errors.New(want + "; what is given names no host")
	errPort     = errors.New(want + "; the port of what is given is none from 1 to 65535")
	errDatabase = errors.New(want + "; the database of what is given is no number, 0 or more")
	errOption   = errors.New(want + "; what is given goes on after that with something unknown")
)

// Address is where a Redis is, and how it is entered.
type Address struct{ options redis.Options }

// Parse reads an address as REDIS_URL has it. An error says what would be right and repeats no part of it.
func Parse(address string) (*Address, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errAddress
	case u.Scheme != "redis" && u.Scheme != "rediss":
		return nil, errScheme
	case u.Hostname() == "" || u.Opaque != "":
		return nil, errHost
	case u.Fragment != "":
		return nil, errOption
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, errPort
		}
	}
	if u.Path != "" && u.Path != "/" {
		if n, err := strconv.ParseUint(u.Path[1:], 10, 16); err != nil || u.Path[1:] != strconv.FormatUint(n, 10) {
			return nil, errDatabase
		}
	}
	o, err := redis.ParseURL(address)
	if err != nil || o.DB < 0 {
		return nil, errOption
	}
	return &Address{*o}, nil
}
