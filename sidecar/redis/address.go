package redis

import (
	"errors"
	"net/url"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// Address is where a Redis is, with its credentials.
type Address struct{ options redis.Options }

// Parse reads an address as REDIS_URL has it. An error says what is wanted and repeats no part of the address, since any
// may be a password.
func Parse(address string) (*Address, error) {
	if problem := addressProblem(address); problem != "" {
		return nil, errors.New("want redis://HOST:6379, or rediss://HOST:6379 for TLS, with USER:PASSWORD@ before the host " +
			"and /N after it for the database N if need be; what is given " + problem)
	}
	o, _ := redis.ParseURL(address)
	return &Address{*o}, nil
}

// addressProblem is the defect of an address, empty if there is none. The library checks less: it takes a port of zero,
// and its errors repeat parts of the address.
func addressProblem(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "is no address, perhaps because of a character in the password that must be written as %XX"
	case u.Scheme != "redis" && u.Scheme != "rediss":
		return "begins with neither"
	case u.Hostname() == "" || u.Opaque != "":
		return "names no host"
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "has a port that is none: the port is a number from 1 to 65535"
		}
	}
	if u.Path != "" && u.Path != "/" {
		if n, err := strconv.ParseUint(u.Path[1:], 10, 16); err != nil || u.Path[1:] != strconv.FormatUint(n, 10) {
			return "has a database that is none: the database is a number, 0 or more"
		}
	}
	if o, err := redis.ParseURL(address); err != nil || o.DB < 0 || u.Fragment != "" {
		return "goes on after that with something unknown"
	}
	return ""
}
