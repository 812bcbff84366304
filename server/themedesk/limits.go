package themedesk

import "time"

// Bounds of this package, all of this project unless named. Those of a theme and of an
// index of a marketplace are in package themes.
const (
	// maxUploads is how many zips may arrive at once, each with a buffer of its own.
	maxUploads = 8
	// maxReaders is how many themes are unpacked and cleaned at once: that takes memory
	// and a processor, and the radio shares both.
	maxReaders = 2
	// maxForm is the largest body that is no zip, in bytes: that of all of REST.
	maxForm = 64 << 10
	// uploadTime bounds an upload: 5 MB at 350 kbit/s. net/http gives a request 30 s.
	uploadTime = 2 * time.Minute
	// busyRetry is when to come again if maxUploads others are uploading.
	busyRetry = 5 * time.Second
	// watchEvery is how often the library is looked at for changes by the command line.
	watchEvery = 2 * time.Second

	// pictureBytes is the largest picture that a marketplace may send, in bytes; a zip is
	// bounded as an upload is.
	pictureBytes = 512 << 10
	// indexTime, pictureTime and zipTime bound one answer of a marketplace.
	indexTime   = 15 * time.Second
	pictureTime = 15 * time.Second
	zipTime     = time.Minute
	// dialTime bounds the way to a marketplace: name, connection, TLS.
	dialTime = 10 * time.Second
	// maxRedirects is how often a marketplace may send us on, within its host.
	maxRedirects = 3
	// maxFetches is how many pictures and zips are fetched at once.
	maxFetches = 4
	// fresh is how long an index is used before it is fetched again, and failed how long
	// an error is repeated: an administrator who tries again should not have to wait.
	fresh  = 5 * time.Minute
	failed = 10 * time.Second
	// maxPictures is how many bytes of pictures are kept, until the index is fetched again.
	maxPictures = 8 << 20
	// pictureSeconds is how long a browser may keep a picture.
	pictureSeconds = "300"
)
