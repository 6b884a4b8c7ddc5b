package build

import "sync"

// once caches a value for each file of a proposal. Concurrent calls make it once. The zero value is
// ready.
type once[V any] struct {
	made sync.Map // of func() V, by file
}

// get returns the value of a file. The first call makes it.
func (o *once[V]) get(file string, make func() V) V {
	f, ok := o.made.Load(file)
	if !ok {
		f, _ = o.made.LoadOrStore(file, sync.OnceValue(make))
	}
	return f.(func() V)()
}

// forget frees the value of a file. The next call of get makes it again.
func (o *once[V]) forget(file string) { o.made.Delete(file) }

// result is a value or an error.
type result[V any] struct {
	value V
	err   error
}

// resultOf returns the two results of a function as one value.
func resultOf[V any](value V, err error) result[V] { return result[V]{value, err} }
