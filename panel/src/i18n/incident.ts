import { incident } from "./en/incident";
import { addTexts } from "./language.svelte";

/** Importing this file brings the English of the incident review along. */
addTexts(incident);
