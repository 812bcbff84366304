package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"squelch/server/filelock"
)

// Options of [Open]. The zero value is usable.
type Options struct {
	// MustExist refuses a folder that no service has used yet, instead of making it one.
	MustExist bool
	// Logf receives warnings for the operator. Nil: dropped.
	Logf func(format string, args ...any)
	// Now is the clock for retention. Nil: time.Now.
	Now func() time.Time

	// Limits of the two logs. Zero: the defaults. Negative: no limit.
	AuditMaxAge      time.Duration
	AuditMaxBytes    int64
	TimelineMaxAge   time.Duration
	TimelineMaxBytes int64
	// TimelineMax is how many records the timeline keeps; it replaces TimelineMaxBytes.
	// Zero: as many as that allows.
	TimelineMax int
}

func (o Options) withDefaults() Options {
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	setDefault(&o.AuditMaxAge, DefaultAuditMaxAge)
	setDefault(&o.AuditMaxBytes, DefaultAuditMaxBytes)
	setDefault(&o.TimelineMaxAge, DefaultTimelineMaxAge)
	if o.TimelineMax > 0 {
		o.TimelineMaxBytes = min(max(DefaultTimelineMaxBytes, int64(o.TimelineMax)*timelineRecord), maxTimeline)
	}
	setDefault(&o.TimelineMaxBytes, DefaultTimelineMaxBytes)
	return o
}

func setDefault[T int64 | time.Duration](value *T, standard T) {
	if *value == 0 {
		*value = standard
	}
}

// Store is an open data folder. All methods may be called from any goroutine.
type Store struct {
	dir  string
	logf func(string, ...any)
	lock *folderLock
	host *host
	free func(dir string) (int64, error) // how much room a disk has

	snapshots   *snapshots
	sessions    *Bucket
	secrets     *Bucket
	config      *Bucket
	webhooks    *Bucket
	deadLetters *Bucket
	accounts    *Bucket
	audit       *Log
	timeline    *Log

	closing sync.Once
	closed  error
}

// Open opens the data folder dir, and creates it if it is missing or empty.
//
// It fails with [ErrLocked] when another process uses the folder, with
// [ErrForeign] when the folder is something else or of a newer format, and with
// [ErrDamaged] when something is garbled, truncated, missing or unreadable, and
// with [ErrNoRoom] when the folder was not closed cleanly and there is no room to
// check it on a copy. Where the error says so, nothing in the folder has been
// changed.
func Open(ctx context.Context, dir string, options Options) (*Store, error) {
	return openIn(ctx, dir, options, filelock.FreeBytes)
}

// openIn is Open; free says how much room a disk has.
func openIn(ctx context.Context, dir string, options Options, free func(dir string) (int64, error)) (*Store, error) {
	options = options.withDefaults()
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", dir, err)
	}
	switch _, found, err := readMarker(dir); {
	case err != nil && !errors.Is(err, ErrDamaged):
		return nil, err // not ours, so not even a lock file is written
	case err == nil && !found && options.MustExist:
		return nil, errNoData(dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, notWritable(dir, fmt.Errorf("data folder cannot be created: %w", err))
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, logf: options.Logf, lock: lock, free: free}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, lock.release(true))
	}
	if err := s.start(ctx, options); err != nil {
		return nil, errors.Join(err, s.abandon())
	}
	return s, nil
}

// prepare makes a fresh folder, or checks an existing one.
func (s *Store) prepare(ctx context.Context) error {
	m, found, err := readMarker(s.dir) // again, now that nobody else can change it
	if err != nil {
		return err
	}
	if !found {
		m = newMarker()
	}
	s.host = &host{folder: s.path(), id: m.ID, logf: s.logf, pause: diskPause}
	if m.State == stateCreating {
		return s.create(m)
	}
	if err := s.settle(); err != nil {
		return err
	}
	if info, err := os.Stat(s.path()); err != nil || !info.IsDir() {
		return damaged(s.path(), "is missing or is not a folder")
	}
	if isFormat1(s.path(), m) {
		return s.migrate(ctx, m)
	}
	marks, err := readWatermark(s.path(watermarkName), m.ID)
	if err != nil {
		return err
	}
	for _, mark := range marks {
		if !slices.Contains(streamNames, mark.stream) {
			return foreign(s.path(), "holds the stream %q, which this program does not know: use a newer Squelch", mark.stream)
		}
	}
	clean, err := checkSeal(s.path(), m.ID)
	if err != nil || clean {
		return err
	}
	return s.recover(ctx, m, marks)
}

// create makes a folder without contents. The marker says so until the last step, so
// that an interrupted creation starts over. The streams are made when the folder is
// opened.
func (s *Store) create(m marker) error {
	m.Format = formatVersion // an earlier program may have begun
	if err := s.fill(m); err != nil {
		return fmt.Errorf("data folder cannot be written: %w", err)
	}
	return nil
}

func (s *Store) fill(m marker) error {
	if err := writeMarker(s.dir, m); err != nil {
		return err
	}
	if err := os.RemoveAll(s.path()); err != nil {
		return err
	}
	if err := os.Mkdir(s.path(), folderMode); err != nil {
		return err
	}
	if err := writeWatermark(s.path(watermarkName), m.ID, nil); err != nil {
		return err
	}
	if err := writeSeal(s.path(), m.ID); err != nil {
		return err
	}
	m.State = stateReady
	return writeMarker(s.dir, m)
}

// start runs NATS on the checked folder and reads the buckets.
func (s *Store) start(ctx context.Context, options Options) error {
	if err := s.lock.sign(); err != nil {
		return fmt.Errorf("lock file cannot be written: %w", err)
	}
	if err := s.removeProbe(); err != nil {
		return err
	}
	if err := tighten(s.dir, os.Chmod, options.Logf); err != nil {
		return err
	}
	if err := s.host.open(ctx); err != nil {
		return err
	}
	logs := map[string]*Log{}
	for _, stream := range streamNames {
		logs[stream] = &Log{host: s.host, stream: stream, logf: options.Logf, now: options.Now}
	}
	s.snapshots = &snapshots{log: logs[streamSnapshot]}
	s.audit, s.timeline = logs[streamAudit], logs[streamTransmissions]
	s.audit.maxAge, s.audit.maxBytes = options.AuditMaxAge, options.AuditMaxBytes
	s.timeline.maxAge, s.timeline.maxBytes = options.TimelineMaxAge, options.TimelineMaxBytes
	s.timeline.most = uint64(max(0, options.TimelineMax))
	for _, log := range []*Log{s.audit, s.timeline} {
		if err := log.retain(ctx); err != nil {
			return err
		}
	}
	if err := s.snapshots.load(ctx); err != nil {
		return err
	}
	for stream, bucket := range map[string]**Bucket{
		streamSessions: &s.sessions, streamSecrets: &s.secrets, streamConfig: &s.config,
		streamWebhooks: &s.webhooks, streamDeadLetters: &s.deadLetters, streamAccounts: &s.accounts,
	} {
		opened, err := openBucket(ctx, logs[stream])
		if err != nil {
			return err
		}
		*bucket = opened
	}
	return nil
}

// path is the path of a file under store/.
func (s *Store) path(names ...string) string {
	return filepath.Join(append([]string{s.dir, storeName}, names...)...)
}

// Close stops NATS, seals the folder and gives the lock back. It waits for
// running writes. Calls after the first return what the first returned.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.closed = errors.Join(s.host.stop(), s.lock.release(false))
	})
	return s.closed
}

// abandon undoes a start that failed half-way. The folder stays unsealed, as after a
// kill.
func (s *Store) abandon() (err error) {
	s.host.stopQuietly()
	if s.host.watermark != nil {
		err = s.host.watermark.close()
	}
	return errors.Join(err, s.lock.release(false))
}

// ID returns the random name of this data folder.
func (s *Store) ID() string { return s.host.id }

// Sessions keeps dispatcher sessions and player tokens (hashed by their owner).
func (s *Store) Sessions() *Bucket { return s.sessions }

// Secrets keeps what was generated on the first start: master token, dispatch
// NAC id, admin password.
func (s *Store) Secrets() *Bucket { return s.secrets }

// Config keeps live edits of the admin panel.
func (s *Store) Config() *Bucket { return s.config }

// Webhooks keeps how far each webhook has come on the timeline.
func (s *Store) Webhooks() *Bucket { return s.webhooks }

// DeadLetters keeps what the receivers of webhooks did not take.
func (s *Store) DeadLetters() *Bucket { return s.deadLetters }

// Accounts keeps who may use the administration, with hashes of their passwords.
func (s *Store) Accounts() *Bucket { return s.accounts }

// Audit is the append-only audit log.
func (s *Store) Audit() *Log { return s.audit }

// Timeline is the append-only list of what was said and done. On the disk it has the
// name transmissions.
func (s *Store) Timeline() *Log { return s.timeline }

// SaveSnapshot makes a snapshot durable. See [Snapshot].
func (s *Store) SaveSnapshot(ctx context.Context, snapshot Snapshot) error {
	return s.snapshots.save(ctx, snapshot)
}

// LatestSnapshot returns the newest snapshot; found is false when none was
// ever saved.
func (s *Store) LatestSnapshot(ctx context.Context) (snapshot Snapshot, found bool, err error) {
	return s.snapshots.latest(ctx)
}
