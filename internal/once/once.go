// Package once makes values once and keeps them until they are forgotten. It does not know what
// they are made from.
package once

import "sync"

// Values caches a value for each name. Concurrent calls make it once. The zero value is ready.
type Values[V any] struct {
	made sync.Map // of func() V, by name
}

// Get returns the value of a name. The first call makes it.
func (o *Values[V]) Get(name string, make func() V) V {
	f, ok := o.made.Load(name)
	if !ok {
		f, _ = o.made.LoadOrStore(name, sync.OnceValue(make))
	}
	return f.(func() V)()
}

// Has reports whether a name has a value, or will have one soon.
func (o *Values[V]) Has(name string) bool {
	_, ok := o.made.Load(name)
	return ok
}

// Forget frees the value of a name. The next call of Get makes it again.
func (o *Values[V]) Forget(name string) { o.made.Delete(name) }

// Result is a value or an error.
type Result[V any] struct {
	Value V
	Err   error
}

// ResultOf returns the two results of a function as one value.
func ResultOf[V any](value V, err error) Result[V] { return Result[V]{value, err} }
