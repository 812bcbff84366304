// Package themedesk is what one may do with the themes of a radio: the same for REST and
// for the administration, which hand their requests on. It knows who asks, keeps the
// audit log, fetches from the marketplace, and tells dispatchers of every change, also of
// those that the command line makes meanwhile. What a theme is, and that none with a
// script is installed without its review, is decided by package themes.
package themedesk
