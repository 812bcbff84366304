package wire

// recordingRoutes: the simulation keeps no recordings on a disk.
var recordingRoutes []Route
