// Package sim is a radio without a service: one core.State behind a small typed
// interface whose requests and replies are the JSON of core/wire. The same code runs
// natively and, compiled to WebAssembly, in the browser and under wazero. It reads no
// clock: every request has its moment.
package sim
