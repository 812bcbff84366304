//go:build !wasm

package wire

// adminThemeRoutes are themeRoutes as the administration has them, and the pictures of
// the marketplace, which its page may not fetch from elsewhere.
var adminThemeRoutes = func() (routes []Route) {
	for _, r := range themeRoutes {
		r.Path, r.Auth, r.Scope = "/admin"+r.Path, Admin, ""
		routes = append(routes, r)
	}
	picture := adminGet("/admin/api/themes/market/picture", nil, "A theme's picture, from the marketplace")
	picture.Query = []Parameter{{"slug", "string", "of the theme"}}
	picture.Errors = []int{400, 401, 404, 429, 502}
	return append(routes, picture)
}()
