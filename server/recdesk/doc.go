// Package recdesk serves recordings: lists, files, one listening file of a channel, the
// export of an incident, and deletion. The recordings are in package recordings; what is
// here is who may see them when, in which form, and that it is audited.
package recdesk
