// A test that is killed cannot clean up after itself, but its end of our stdin closes
// with it: then this peer exits too, instead of staying behind as an orphan.
process.stdin.on("end", () => process.exit(0));
process.stdin.on("error", () => process.exit(0));
process.stdin.resume();
