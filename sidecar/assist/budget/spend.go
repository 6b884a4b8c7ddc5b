package budget

// Spend is what went to a model, and what did not, since the process began. Tokens are as [Budget.Ask]
// counts them.
type Spend struct {
	Questions int // begun
	Asked     int // tokens set aside for these
	Used      int // tokens that they took, or were set aside where nobody said

	// Questions that were refused, by what they were too many for: the day, what others had set aside of it,
	// the minute, and any day at all.
	Day, Claimed, Minute, TooLarge int

	Left   int // tokens that are left of the present day; less than 0 when a question took more than expected
	PerDay int // tokens that a day has
}

// Spend is what was spent until now.
func (b *Budget) Spend() Spend {
	b.books.mu.Lock()
	defer b.books.mu.Unlock()
	b.books.turnPage()
	s := b.books.ever
	s.PerDay = b.books.perDay
	s.Left = s.PerDay - b.books.spent - b.books.claimed
	return s
}
