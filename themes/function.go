package themes

import "strings"

// what a function does with addresses.
type function int

const (
	harmless function = iota
	loads             // takes a string for an address
	reads             // takes what the page says
)

// functions is every function that a stylesheet of a theme can use, in values,
// selectors and conditions. None of them loads anything, except by a url() in it.
var functions = func() map[string]function {
	all := map[string]function{"image-set": loads, "-webkit-image-set": loads, "attr": reads}
	for name := range strings.FieldsSeq(`
		var env calc min max clamp round mod rem abs sign sin cos tan asin acos atan atan2 pow sqrt hypot log exp
		calc-size progress sibling-index sibling-count minmax fit-content repeat anchor anchor-size counter counters
		rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark contrast-color
		linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient
		repeating-conic-gradient -webkit-linear-gradient -webkit-radial-gradient -webkit-repeating-linear-gradient
		-webkit-repeating-radial-gradient
		translate translatex translatey translatez translate3d scale scalex scaley scalez scale3d rotate rotatex rotatey
		rotatez rotate3d skew skewx skewy matrix matrix3d perspective
		blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia
		cubic-bezier steps linear scroll view
		circle ellipse inset polygon path rect xywh shape ray
		format tech local type
		stylistic styleset character-variant swash ornaments annotation

		is where not has matches -webkit-any -moz-any nth-child nth-last-child nth-of-type nth-last-of-type lang dir
		host host-context slotted part state highlight cue picker
		view-transition-group view-transition-image-pair view-transition-old view-transition-new

		selector font-tech font-format style scroll-state`) {
		all[name] = harmless
	}
	return all
}()

var functionNames = sortedNames(functions)
