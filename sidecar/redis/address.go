package redis

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Address is where a Redis is, with its credentials.
type Address struct {
	host               string // with the port
	tls                bool
	username, password string
	database           int
}

// Parse reads an address as REDIS_URL has it. An error says what is wanted and repeats no part of the address, since
// any may be a password.
func Parse(address string) (*Address, error) {
	u, err := url.Parse(address)
	problem := ""
	switch {
	case err != nil:
		problem = "is no address, perhaps because of a character in the password that must be written as %XX"
	case u.Scheme != "redis" && u.Scheme != "rediss":
		problem = "begins with neither"
	case u.Hostname() == "":
		problem = "names no host"
	default:
		if a, ok := parts(u); ok {
			return a, nil
		}
		problem = "goes on after that with something unknown"
	}
	return nil, errors.New("want redis://HOST:6379, or rediss://HOST:6379 for TLS, with USER:PASSWORD@ before the " +
		"host and /N after it for the database N if need be; what is given " + problem)
}

// parts returns the parts of an address, unless it has others.
func parts(u *url.URL) (*Address, bool) {
	port, database := u.Port(), strings.Trim(u.Path, "/")
	if port == "" {
		port = "6379"
	}
	if database == "" {
		database = "0"
	}
	const portBits, databaseBits = 16, 31
	_, noPort := strconv.ParseUint(port, 10, portBits)
	number, noDatabase := strconv.ParseUint(database, 10, databaseBits)
	password, _ := u.User.Password()
	a := &Address{
		host: net.JoinHostPort(u.Hostname(), port), tls: u.Scheme == "rediss",
		username: u.User.Username(), password: password, database: int(number),
	}
	return a, noPort == nil && noDatabase == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}
