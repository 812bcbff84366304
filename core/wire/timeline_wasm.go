package wire

// timelineRoutes: the simulation keeps its timeline in the page.
var timelineRoutes []Route
