import { first } from "./en/first";
import { addTexts } from "./language.svelte";

/** Importing this file brings the English of the first run along. */
addTexts(first);
