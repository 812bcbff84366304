// Package check judges what the nodes of a cluster have done by what they have applied: one
// owner in each epoch, time that never goes back, never two who hold a floor that one of
// them should have been denied, never a frame of somebody who holds none. It goes by the
// events that the radio told, not by the code of its rules.
package check
