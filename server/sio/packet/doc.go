// Package packet reads and writes the packets of Socket.IO protocol revision 5,
// for the server and the client.
package packet
