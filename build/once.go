package build

import "sync"

// once makes a value for each file of a proposal, once however many ask for it at the same time.
// The zero value is ready.
type once[V any] struct {
	made sync.Map // of func() V, by file
}

// get returns the value of a file, which the first call makes.
func (o *once[V]) get(file string, make func() V) V {
	f, ok := o.made.Load(file)
	if !ok {
		f, _ = o.made.LoadOrStore(file, sync.OnceValue(make))
	}
	return f.(func() V)()
}

// forget frees the value of a file. The next call of get makes it again.
func (o *once[V]) forget(file string) { o.made.Delete(file) }

// result is what a function of two results returned.
type result[V any] struct {
	value V
	err   error
}

// resultOf makes one value of two results.
func resultOf[V any](value V, err error) result[V] { return result[V]{value, err} }
