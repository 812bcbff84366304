package table

// Dispatch are the functions of dispatch, but for on and off.
var Dispatch = []Function{
	{Group: "State", Name: "getState", Returns: "DispatchState",
		Doc:     "Returns a copy of what the console knows now. It does not follow the radio: subscribe to events for that.",
		Example: `const { channel, zones } = dispatch.getState();`},

	{Group: "Channels", Name: "joinChannel", Params: freq, Doc: "Speaks on this channel from now on."},
	{Group: "Channels", Name: "leaveChannel", Doc: "Speaks on no channel any more."},
	{Group: "Channels", Name: "addScan", Params: freq, Doc: "Monitors this channel."},
	{Group: "Channels", Name: "removeScan", Params: freq, Doc: "Monitors it no longer."},

	{Group: "Push-to-talk", Name: "startPTT", Doc: "Keys the channel spoken on, or the armed group, until stopPTT. Nothing happens without an active channel, where this console may not transmit, and while another push-to-talk is held.",
		Example: "button.addEventListener(\"pointerdown\", (e) => {\n  button.setPointerCapture(e.pointerId); // the release is heard wherever the pointer is by then\n  dispatch.startPTT();\n});\nbutton.addEventListener(\"lostpointercapture\", () => dispatch.stopPTT());"},
	{Group: "Push-to-talk", Name: "stopPTT", Doc: "Releases what startPTT has keyed. A key that the dispatcher holds is not released; and a dispatcher who presses a key of the console takes over what startPTT has keyed."},
	{Group: "Push-to-talk", Name: "startChannelPTT", Params: freq, Doc: "Keys one channel until stopChannelPTT. Nothing happens in the three cases of startPTT."},
	{Group: "Push-to-talk", Name: "stopChannelPTT", Doc: "Releases what startChannelPTT has keyed."},

	{Group: "Announcement groups", Name: "activateAnnouncementGroup", Params: []Field{{Name: "groupId", Type: "string | null", Doc: "null disarms"}},
		Doc: "Arms a group: the global push-to-talk keys all its channels."},

	{Group: "Alerts and emergencies", Name: "triggerAlert", Params: []Field{{Name: "freq", Type: "Frequency"}, {Name: "alertName", Type: "string"}},
		Doc: "Raises a configured alert on a channel. One that is not persistent plays once."},
	{Group: "Alerts and emergencies", Name: "clearAlert", Params: freq, Extension: true, Doc: "Clears the alert that is active on a channel."},
	{Group: "Alerts and emergencies", Name: "sendBroadcastAlert", Params: []Field{{Name: "broadcast", Type: "Broadcast"}}, Doc: "Sends a text to everybody, or to one channel.",
		Example: `dispatch.sendBroadcastAlert({ message: "Storm in ten minutes", type: "Priority Alert" });`},
	{Group: "Alerts and emergencies", Name: "acknowledgePanic", Params: []Field{{Name: "serverId", Type: "number"}, {Name: "unitId", Type: "string", Optional: true, Doc: "not needed: the server id is enough"}},
		Doc: "Ends a unit's panic: acknowledges its emergency and closes it with the reason acknowledged."},

	{Group: "Patches", Name: "createPatch", Params: []Field{{Name: "frequencies", Type: "Frequency[]", Doc: "two or more, none trunked, none in another patch"}}, Returns: "Promise<string>",
		Doc: "Patches channels together. The promise gives the patch's id; it is rejected with the service's words on a conflict."},
	{Group: "Patches", Name: "removePatch", Params: []Field{{Name: "patchId", Type: "string"}}, Returns: "Promise<boolean>", Doc: "Removes a patch. The promise gives false when the service refuses."},

	{Group: "Settings", Name: "updateSettings", Params: []Field{{Name: "settings", Type: "Partial<DispatchSettings>"}}, Doc: "Changes some settings of this dispatcher. What is not known or out of range is ignored, with a warning in the browser's console.",
		Example: `dispatch.updateSettings({ voiceVolume: 0.6 });`},
	{Group: "Settings", Name: "openSettings", Doc: "Opens the settings."},
	{Group: "Settings", Name: "closeSettings", Doc: "Closes them."},

	{Group: "Units", Name: "kickUser", Params: unit, Returns: "Promise<boolean>", Doc: "Disconnects a unit. Ask before you do it."},
	{Group: "Units", Name: "alertUser", Params: []Field{unit[0], {Name: "message", Type: "string"}, {Name: "frequency", Type: "Frequency", Optional: true}}, Returns: "Promise<boolean>", Doc: "Sends a text to one unit."},
	{Group: "Units", Name: "setUserCallsign", Params: []Field{unit[0], {Name: "callsign", Type: "string", Doc: "\"\" clears it"}}, Returns: "Promise<boolean>", Doc: "Sets a unit's callsign, where the service uses callsigns."},
	{Group: "Units", Name: "switchUserChannel", Params: []Field{unit[0], {Name: "newFreq", Type: "Frequency"}, {Name: "oldFreq", Type: "Frequency", Optional: true}}, Returns: "Promise<boolean>", Doc: "Moves a unit to another channel."},
}

var (
	freq = []Field{{Name: "freq", Type: "Frequency"}}
	unit = []Field{{Name: "serverId", Type: "number"}}
)

// Theme are the functions of theme.
var Theme = []Function{
	{Group: "The page", Name: "setVar", Params: []Field{{Name: "name", Type: "string", Doc: "such as --sq-rx, or one of your own"}, {Name: "value", Type: "string"}}, Doc: "Sets a CSS variable on the page's root element."},
	{Group: "The page", Name: "removeVar", Params: []Field{{Name: "name", Type: "string"}}, Doc: "Removes it again."},
	{Group: "The page", Name: "addClass", Params: []Field{{Name: "name", Type: "string", Doc: "without the prefix"}}, Doc: "Adds a class to the root element. It gets the prefix theme-: addClass(\"night\") is .theme-night in your stylesheet."},
	{Group: "The page", Name: "removeClass", Params: []Field{{Name: "name", Type: "string", Doc: "without the prefix"}}, Doc: "Removes it again."},
	{Group: "The page", Name: "hideDefaultUI", Doc: "Hides the status bar, the tools, the channels and the rail, and gives their room to the container. The emergency lane, the push-to-talk bar and the state of the connection stay, and a menu with Settings and Sign out."},
	{Group: "The page", Name: "showDefaultUI", Doc: "Shows them again."},
	{Group: "The page", Name: "getContainer", Returns: "HTMLElement", Doc: "Returns an element inside the console that is yours. It is the same one each time; it is emptied when the theme ends.",
		Example: "const box = theme.getContainer();\nbox.append(\"Hello\");"},
}

// Limits of themes, as the panel and the package format keep them.
var Limits = []Limit{
	{"transmissions", "50", "entries in getState().transmissions", "entries"},
	{"variableName", "/^--[a-zA-Z][a-zA-Z0-9-]*$/", "names of CSS variables", ""},
	{"variableLength", "60", "their length, with the dashes", "characters"},
	{"className", "/^[a-zA-Z][a-zA-Z0-9-_]*$/", "names of classes", ""},
	{"classLength", "40", "their length, without the prefix", "characters"},
	{"classPrefix", "\"theme-\"", "what the class gets in front of its name", ""},
}
