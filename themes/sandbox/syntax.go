package sandbox

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// wrapperLines are what stands before a theme's own first line.
const wrapperLines = 1

// checkSyntax says whether the engine can read a theme's file. What another parser,
// which knows newer syntax, can read is not broken: it cannot run offline.
func checkSyntax(file, source string) (Verdict, string) {
	wrapped := "(function (dispatch, theme, onUnmount) {\n" + source + "\n});"
	tree, err := parser.ParseFile(nil, file, wrapped, 0)
	if err == nil {
		_, err = goja.CompileAST(tree, false)
	}
	if err == nil {
		return OK, ""
	}
	line, message := syntaxError(err)
	where := fmt.Sprintf("%s line %d: %s", file, max(1, line-wrapperLines), message)
	if _, newer := js.Parse(parse.NewInputString(wrapped), js.Options{}); newer != nil {
		return Failed, where
	}
	return Offline, where + ": browsers know this syntax, and the sandbox does not"
}

// syntaxError is where the engine found the first mistake, and its words.
func syntaxError(err error) (line int, message string) {
	var list parser.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return list[0].Position.Line, list[0].Message
	}
	var one *goja.CompilerSyntaxError
	if errors.As(err, &one) && one.File != nil {
		return one.File.Position(one.Offset).Line, one.Message
	}
	return wrapperLines + 1, err.Error()
}

// missing are names that browsers define and the sandbox does not, which a theme may
// well use.
var missing = words(`
	fetch XMLHttpRequest WebSocket EventSource Worker SharedWorker BroadcastChannel MessageChannel
	Audio AudioContext webkitAudioContext MediaRecorder SpeechSynthesisUtterance speechSynthesis Notification
	URL URLSearchParams TextEncoder TextDecoder Blob File FileReader FormData Headers Request Response
	indexedDB caches history crypto screen visualViewport
	Image Option Path2D OffscreenCanvas CanvasRenderingContext2D DOMMatrix DOMRect CSSStyleSheet CSS CSSRule
	PointerEvent MouseEvent KeyboardEvent TouchEvent InputEvent FocusEvent WheelEvent DragEvent
	PerformanceObserver ReportingObserver WeakRef FinalizationRegistry Atomics SharedArrayBuffer WebAssembly
	HTMLDivElement HTMLSpanElement HTMLMediaElement HTMLAudioElement HTMLVideoElement HTMLDialogElement HTMLSelectElement
	DateTimeFormat RelativeTimeFormat PluralRules ListFormat Segmenter DisplayNames
	Range Selection getSelection requestIdleCallback cancelIdleCallback alert confirm prompt open btoa
`)

// missingMembers are methods and fields of the same sort.
var missingMembers = words(`
	getContext play pause load canPlayType showModal showPopover hidePopover togglePopover requestFullscreen exitFullscreen
	attachShadow checkVisibility computedStyleMap startViewTransition elementFromPoint elementsFromPoint caretRangeFromPoint
	getClientRects groupBy withResolvers fromAsync isWellFormed toWellFormed
	adoptedStyleSheets insertRule deleteRule getEntriesByType setHTML sendBeacon
	requestSubmit setRangeText setSelectionRange select showPicker stepUp stepDown
	getCurrentPosition watchPosition clearWatch getUserMedia enumerateDevices writeText readText
	getBattery getGamepads share canShare requestMIDIAccess setAppBadge clearAppBadge
`)

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(text) {
		all[w] = true
	}
	return all
}

var (
	noName   = regexp.MustCompile(`ReferenceError: (\w+) is not defined`)
	noMember = regexp.MustCompile(`(?:Object has no member '(\w+)'|Cannot read property '(\w+)' of (?:undefined|null)|(\w+) is not a (?:function|constructor))`)
)

// lacks names what the sandbox lacks, if that is what an error is about.
func lacks(text string) (string, bool) {
	if m := noName.FindStringSubmatch(text); m != nil && missing[m[1]] {
		return m[1], true
	}
	if m := noMember.FindStringSubmatch(text); m != nil {
		name := m[1] + m[2] + m[3]
		return name, missingMembers[name] || m[3] != "" && missing[name]
	}
	return "", false
}
