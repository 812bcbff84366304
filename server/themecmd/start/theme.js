/// <reference path="squelch-theme.d.ts" />
// @ts-check

// What stands here runs when the theme starts. Everything that it does with dispatch and
// theme is taken back when the theme ends.

// An element inside the console that is the theme's own.
const line = document.createElement("p");
line.className = "on-air";
theme.getContainer().append(line);

// Events are told at once, and again on every change.
dispatch.on("dispatch:zones", ({ zones }) => {
  const talkers = new Set();
  for (const zone of zones)
    for (const channel of zone.channels)
      for (const user of channel.users) if (user.transmitting) talkers.add(`${user.name} on ${channel.name}`);
  line.textContent = [...talkers].join(", ") || "Nobody talks";
});

dispatch.on("dispatch:connection", ({ health }) => {
  if (health === "connected") theme.removeClass("faded");
  else theme.addClass("faded"); // .theme-faded in style.css
});
