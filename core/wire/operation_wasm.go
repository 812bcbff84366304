package wire

// serviceRoutes: nobody runs a simulation as a service.
var serviceRoutes []Route
