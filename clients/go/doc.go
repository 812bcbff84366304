// Package client is for programs that use a Squelch radio: CAD systems, bots, loggers.
//
// [New] makes a client with an API key. Each REST route is a method of [Client], named by
// its operationId in /openapi.json: [Client.PostDispatchAlertTrigger]. [Client.Connect]
// puts a user on the radio over Socket.IO; each event that a client may send is a method
// of the [Link], and each event of the service has a handler, such as [OnTalkingState].
// Bodies, replies and payloads are the types of package wire, which the service itself
// uses; methods and handlers are generated from its tables.
//
// If several nodes share the radio and a link's own is gone, the link goes to another one,
// and so do calls that reach nobody.
//
// What the service refuses is a [*Refusal]. All limits are in limits.go.
package client
