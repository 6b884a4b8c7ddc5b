package cache_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/cache"
)

// BenchmarkGet measures a hit, alone and from all processors, and a miss, which starts a goroutine.
func BenchmarkGet(b *testing.B) {
	cfg := config()
	cfg.Fresh = time.Hour
	fetch := func(context.Context) (string, error) { return "value", nil }
	keys := make([]string, 100)
	for i := range keys {
		keys[i] = strconv.Itoa(i)
	}
	b.Run("hit", func(b *testing.B) {
		c := cache.New[string](cfg)
		defer c.Close()
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			i++
			if _, err := c.Get(b.Context(), keys[i%len(keys)], fetch); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("hits", func(b *testing.B) {
		c := cache.New[string](cfg)
		defer c.Close()
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for i := 0; pb.Next(); i++ {
				if _, err := c.Get(b.Context(), keys[i%len(keys)], fetch); err != nil {
					b.Error(err)
				}
			}
		})
	})
	b.Run("miss", func(b *testing.B) {
		c := cache.New[int](cfg)
		defer c.Close()
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			i++
			if _, err := c.Get(b.Context(), i, fetch); err != nil {
				b.Fatal(err)
			}
		}
	})
}
