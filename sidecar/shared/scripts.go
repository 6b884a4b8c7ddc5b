package shared

import (
	_ "embed"

	"github.com/redis/go-redis/v9"
)

// Each script runs in Redis as a whole, with nothing between its commands.
var (
	//go:embed take.lua
	takeScript string
	//go:embed claim.lua
	claimScript string
	//go:embed hold.lua
	holdScript string
	//go:embed land.lua
	landScript string
)

type scripts struct{ take, claim, hold, land *redis.Script }

func newScripts() scripts {
	return scripts{redis.NewScript(takeScript), redis.NewScript(claimScript), redis.NewScript(holdScript), redis.NewScript(landScript)}
}
