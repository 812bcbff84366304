// Package voice carries frames between the nodes that share a radio, on the mesh's connection
// for voice. A frame is published once, on the subject of the radio and the keyed channel; a
// node subscribes to the channels that those who are attached to it may hear, whether anybody
// talks there or not, so that no first syllable waits for a subscription. What arrives goes to
// this node's media plane and never to another node.
//
//	sfu ── Away ──► queue ── one goroutine ──► v.RADIO.CHANNEL ──► nodes that have listeners
//	sfu ◄── FromNode ── one goroutine per channel ◄── v.RADIO.CHANNEL
package voice
