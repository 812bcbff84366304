package config

// unusedKey is a key that files may hold but that nothing reads yet. Its value is
// checked, so that no file becomes invalid on the day when it gets an effect.
type unusedKey struct {
	key         string
	least, most int64
}

var unusedLimits = []unusedKey{
	{"toneBytes", 1 << 10, 256 << 20},
	{"callbacksPerSecond", 1, 1_000_000},
}

// unused warns of the keys of Config that have no effect yet.
func (r *reader) unused(c value) {
	for _, u := range unusedLimits {
		c.get("limits").get(u.key).unused(u)
	}
	for _, name := range clientCallbacks {
		if v := c.get(name); !v.none() {
			r.warnAs(Ignored, name, name, "has no effect here: a player's radio calls it, so it belongs in client/config.lua of the game resource, as RadioConfig.%s", name)
		}
	}
}

func (v value) unused(u unusedKey) {
	v.whole(u.least, u.least, u.most)
	if !v.none() {
		v.r.warnAs(Ignored, v.path, v.path, "has no effect yet")
	}
}
