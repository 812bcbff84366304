package main

// keepPrivate: on Windows a file inherits the access rights of its folder.
func keepPrivate() {}
