//go:build !wasm

package wire

// adminRecordingRoutes are those of the recorder: how it is, and deleting.
var adminRecordingRoutes = []Route{
	adminGet("/admin/api/recordings/state", RecorderState{}, "How the recorder is, and what there is of recordings"),
	recordingsDelete("/admin/api/recordings/delete", Admin, ""),
}
