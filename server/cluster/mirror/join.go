package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"squelch/server/cluster/keep"
)

// What the nodes tell each other is in a bucket of its own.
const (
	joinBucket  = "join"
	originKey   = "origin"
	offerPrefix = "offer."
)

// origin is where a radio of a cluster comes from. The node that enters it first takes its
// own data folder over; no other does, ever.
type origin struct {
	ID   string `json:"id"`   // of what is shared, random
	Node string `json:"node"` // whose data folder was taken over; "": none was
	Done bool   `json:"done"` // all of it is there
}

// offer is what a node has in its data folder.
type offer struct {
	Amount
	At time.Time `json:"at"`
}

// JoinOptions of Join. All but Logf are required.
type JoinOptions struct {
	Keep  *keep.Keep
	Radio string // its name
	Node  string // this one's name
	Local *Place // this node's data folder
	// Open opens what is shared. It is called when nothing is taken over any more.
	Open func(ctx context.Context) (*keep.Radio, error)
	// Alive names the nodes that live.
	Alive func() []string
	// Expect is how many nodes there will be, and Wait how long they are waited for.
	Expect int
	Wait   time.Duration
	Logf   func(format string, args ...any)
}

// Join waits until the cluster has the radio, and opens it. The first nodes of a cluster tell
// each other what is in their data folders; the one with the longest history takes its own
// over, and the others wait for that.
func Join(ctx context.Context, o JoinOptions) (*keep.Radio, error) {
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	j := &joining{JoinOptions: o}
	end := time.Now().Add(openTime)
	for {
		r, err := j.join(ctx)
		if err == nil || errors.Is(err, ErrOther) || ctx.Err() != nil || time.Now().After(end) {
			return r, err
		}
		j.say("radio %s: what the nodes share cannot be read or written yet: %v", o.Radio, err)
		if err := j.pause(ctx); err != nil {
			return nil, err
		}
	}
}

type joining struct {
	JoinOptions
	bucket *keep.Bucket
	said   time.Time
}

func (j *joining) join(ctx context.Context) (*keep.Radio, error) {
	var err error
	if j.bucket, err = j.Keep.Bucket(ctx, j.Radio, joinBucket); err != nil {
		return nil, err
	}
	entered, err := j.look(ctx)
	if err != nil {
		return nil, err
	}
	if entered.ID == "" {
		if entered, err = j.elect(ctx); err != nil {
			return nil, err
		}
	}
	for !entered.Done {
		if entered.Node == j.Node {
			return j.take(ctx, entered)
		}
		j.say("waiting for node %s, which takes over what is in its data folder; if it is lost, stop all nodes, remove the folder cluster in their data folders, and start them", entered.Node)
		if err := j.pause(ctx); err != nil {
			return nil, err
		}
		if entered, err = j.look(ctx); err != nil {
			return nil, err
		}
	}
	shared, err := j.Open(ctx)
	if err != nil {
		return nil, err
	}
	return shared, shared.CatchUp(ctx) // it may have been opened to look whether it is empty
}

// look reads the origin; its ID is empty if there is none.
func (j *joining) look(ctx context.Context) (entered origin, err error) {
	if _, err := j.bucket.Refresh(ctx, originKey); err != nil {
		return origin{}, err
	}
	if data, found := j.bucket.Get(originKey); found {
		if err := json.Unmarshal(data, &entered); err != nil || entered.ID == "" {
			return origin{}, fmt.Errorf("where the radio of the cluster comes from is not understood: %w", errors.Join(err, errors.New("it has no id")))
		}
	}
	return entered, nil
}

// elect finds the node whose data folder is taken over, and enters it if that is this one.
func (j *joining) elect(ctx context.Context) (origin, error) {
	amount, err := j.Local.Amount(ctx)
	if err != nil {
		return origin{}, err
	}
	text, err := json.Marshal(offer{amount, time.Now()})
	if err != nil {
		return origin{}, err
	}
	if err := j.bucket.Put(ctx, offerPrefix+j.Node, text); err != nil {
		return origin{}, err
	}
	end := time.Now().Add(j.Wait)
	for {
		entered, err := j.look(ctx)
		if err != nil || entered.ID != "" {
			return entered, err
		}
		if err := j.bucket.CatchUp(ctx); err != nil {
			return origin{}, err
		}
		offers, late := j.offers(), time.Now().After(end)
		best := first(offers)
		if alive := j.living(offers); late && alive[best].At.IsZero() {
			best = first(alive)
		}
		if best == j.Node && (late || len(offers) >= j.Expect) {
			return j.enter(ctx, amount)
		}
		j.say("a new cluster: %d of %d nodes have told what is in their data folders; waiting up to %v for the others", len(offers), j.Expect, j.Wait)
		if err := j.pause(ctx); err != nil {
			return origin{}, err
		}
	}
}

// offers are those of all nodes, by name.
func (j *joining) offers() map[string]offer {
	all := map[string]offer{}
	for key, data := range j.bucket.All() {
		var o offer
		if node, is := strings.CutPrefix(key, offerPrefix); is && json.Unmarshal(data, &o) == nil {
			all[node] = o
		}
	}
	return all
}

func (j *joining) living(offers map[string]offer) map[string]offer {
	alive := map[string]offer{}
	for _, node := range append(j.Alive(), j.Node) {
		if o, is := offers[node]; is {
			alive[node] = o
		}
	}
	return alive
}

// first is the node with the longest history; of several, the first by name.
func first(offers map[string]offer) (node string) {
	for _, name := range slices.Sorted(maps.Keys(offers)) {
		if node == "" || offers[node].less(offers[name].Amount) {
			node = name
		}
	}
	return node
}

// enter enters this node as the origin, unless another was faster. What is shared already,
// by a cluster that knew of no origins, stays as it is.
func (j *joining) enter(ctx context.Context, amount Amount) (entered origin, err error) {
	shared, err := j.Open(ctx)
	if err != nil {
		return origin{}, err
	}
	there, err := OnKeep(shared).Amount(ctx)
	if err != nil {
		return origin{}, err
	}
	entered = origin{ID: uuid.NewString(), Node: j.Node}
	if amount.Empty() || !there.Empty() {
		entered.Node, entered.Done = "", true
	}
	text, _, err := j.bucket.Ensure(ctx, originKey, func() ([]byte, error) { return json.Marshal(entered) })
	if err != nil {
		return origin{}, err
	}
	return entered, json.Unmarshal(text, &entered)
}

// take takes over this node's data folder. One that was interrupted goes on.
func (j *joining) take(ctx context.Context, entered origin) (*keep.Radio, error) {
	shared, err := j.Open(ctx)
	if err != nil {
		return nil, err
	}
	to := OnKeep(shared)
	begun := time.Now()
	j.Logf("the cluster is new: it takes over what is in this node's data folder")
	c := copier{from: j.Local, to: to, versions: map[string]uint64{}, progress: func(log string, done, all uint64) {
		j.say("taking over: %s, %d of %d entries", log, done, all)
	}}
	if err := c.copy(ctx); err != nil {
		if errors.Is(err, ErrOther) {
			err = fmt.Errorf("%w: the data folder is another one than when this was begun; stop all nodes, remove the folder cluster in their data folders, and start them", err)
		}
		return nil, fmt.Errorf("this node's data folder cannot be taken over: %w", err)
	}
	entered.Done = true
	text, err := json.Marshal(entered)
	if err != nil {
		return nil, err
	}
	if err := j.bucket.Put(ctx, originKey, text); err != nil {
		return nil, err
	}
	amount, err := to.Amount(ctx)
	if err != nil {
		return nil, err
	}
	j.Logf("the cluster has taken over this node's data folder in %v: audit log to entry %d, timeline to entry %d, %d sessions, secrets and other keys",
		time.Since(begun).Round(time.Millisecond), amount.Audit, amount.Timeline, amount.Keys)
	return shared, nil
}

func (j *joining) say(format string, args ...any) {
	if time.Since(j.said) >= sayEvery {
		j.said = time.Now()
		j.Logf(format, args...)
	}
}

func (j *joining) pause(ctx context.Context) error {
	select {
	case <-time.After(lookEvery):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
