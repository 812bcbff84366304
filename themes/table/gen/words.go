package main

// The prose of the authors' page.

const introduction = `A theme changes how the dispatch console looks and, with a script, how it works. It is a
folder, or a zip of it:

| File | What |
|---|---|
| ` + "`theme.json`" + ` | name, slug, version, author, description, css, and js if there is a script |
| ` + "`style.css`" + ` | the stylesheet |
| ` + "`theme.js`" + ` | the script, if there is one |
| ` + "`theme.test.js`" + ` | its tests, if there are any; they are never served |
| ` + "`preview.png`" + ` | its picture in lists |
| pictures, fonts, sounds | what the stylesheet and the script use |

## Your first theme, in ten minutes

` + "```" + `
squelch theme new "Blue hour" --js    # writes the folder blue-hour
squelch theme dev blue-hour           # opens every state of the console with it, and follows your changes
` + "```" + `

1. Open the address that ` + "`theme dev`" + ` prints. It shows every state of the console at once and
   lists text that is hard to read.
2. In ` + "`style.css`" + `, give a variable another value, and save:

   ` + "```css" + `
   :root {
     --sq-rx: #0b6e6e; /* whoever is heard now */
   }
   ` + "```" + `

   The page changes at once. Looks have other colours: check night, day, contrast and lcd.
3. Let the script answer the radio. In ` + "`theme.js`" + `:

   ` + "```js" + `
   dispatch.on("dispatch:ptt", ({ active }) => {
     if (active) theme.addClass("talking");
     else theme.removeClass("talking");
   });
   ` + "```" + `

   and in ` + "`style.css`" + `:

   ` + "```css" + `
   .theme-talking [data-part="rail"] {
     opacity: 0.5;
   }
   ` + "```" + `

   Scenes with the key held show it; ` + "`/?simulate`" + ` on the same address is a whole radio to try the theme
   on.
4. Test it without a browser, and see what it would do:

   ` + "```" + `
   squelch theme test blue-hour
   squelch theme check blue-hour
   ` + "```" + `
5. Install it: ` + "`squelch theme install blue-hour`" + `, or zip the folder (any zip program does) and upload it at ` + "`/admin`" + ` under
   Themes. A theme with a script is installed only after somebody has seen its source.
6. Choose it in the console under Settings, Theme. ` + "`?safe=1`" + ` at the end of the address starts
   without themes, whatever went wrong.

` + "`squelch theme types`" + ` writes ` + "`squelch-theme.d.ts`" + `, with which editors complete and check what you
write. The themes that come with Squelch, in ` + "`themes/builtin`" + `, are there to be copied from.

## What a stylesheet may not do

Stylesheets are cleaned when a theme is installed, and the review lists what was removed:
` + "`@import`" + `, ` + "`@namespace`" + ` and other rules that are not about style, and everything that names an
address outside the theme. Relative addresses of the theme's own files stay, and ` + "`data:`" + ` with a
picture or a font.

## What a script should know

* It runs as a function with three arguments: ` + "`dispatch`" + `, ` + "`theme`" + ` and ` + "`onUnmount`" + `. What it declares
  stays its own.
* It runs in the page, as the dispatcher: it can do what the dispatcher can do. That is why its source
  is reviewed. It can load nothing from elsewhere.
* What it throws is reported in the browser's console, and nobody else notices. A theme whose start
  fails twice is switched off.
* When the theme ends, variables, classes, subscriptions, the hidden UI, the container's content and
  a key that it holds are taken back. Timers and listeners on ` + "`document`" + ` or ` + "`window`" + ` are yours to
  end: see onUnmount.
* hideDefaultUI leaves the emergency lane, the push-to-talk bar and the state of the connection. A
  stylesheet could still hide them: do not, and do not draw over them.

## Test a theme

` + "`squelch theme test PATH`" + ` runs the script against a simulated radio, in a process of its own with a
limit of time and memory. Without ` + "`theme.test.js`" + ` it plays a scenario in which everything happens once, and
prints what the theme did. With one it runs its tests:

` + "```js" + `
test("whoever talks is named", async ({ radio, page, check }) => {
  await radio.do({ do: "talk", unit: 12, for: 3 });
  check(page.text(".on-air").includes("LSPD DISP"), "the talker's channel is named");
  await radio.wait(4);
  check.equal(page.text(".on-air"), "Nobody talks", "nobody talks any more");
});
` + "```" + `

Deeds are those of scenarios (` + "`panel/SCENARIOS.md`" + `). The radio, its units and its time are the same in
each run.
`

const marked = `⁺ Squelch's own: the older product does not have it.`

const events = `The callback is called at once with the present state, and then whenever something has changed; changes
at the same moment are told once. ` + "`dispatch.off(event, callback)`" + ` ends it.

`

const actions = `They do what the console's own keys do, with the same permissions. What the service refuses is shown
to the dispatcher as a notice.

`

const cleanup = `The function is called when another theme is chosen, this one is changed or removed, or the panel
closes; with several, the last one first.

` + "```js" + `
const timer = setInterval(blink, 500);
onUnmount(() => clearInterval(timer));
` + "```" + `
`

const packageLimits = "| `slug` | `[a-z0-9_-]{1,40}` |\n" + `| name and author | 60 characters |
| version | 20 characters |
| description | 300 characters |
| files and folders of a theme | 200, 5 MB unpacked, no links |
| the stylesheet, the script | 1 MB each |
| names of files | letters, digits and -_@+. of ASCII, 120 bytes with their folders |
| types of files | avif css gif jpeg jpg js json md mp3 ogg otf png svg ttf txt wav webp woff woff2 |
| scripts | one, which the manifest names |
`

const variables = `Set them on ` + "`:root`" + ` in your stylesheet, which comes after the panel's own, or with
` + "`theme.setVar`" + `. Keep the contrast: text needs 4.5 to 1 on its fill, in every look that your theme is for.
` + "`:root[data-look=\"day\"]`" + ` addresses one look.
`

const parts = `The names stay; everything else about the page's elements and classes may change.

`
