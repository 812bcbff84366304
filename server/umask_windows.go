package main

// keepPrivate: on Windows what is in a folder inherits its access rights.
func keepPrivate() {}
