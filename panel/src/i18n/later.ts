import { enLater } from "./en.later";
import { addTexts } from "./language.svelte";

/** Importing this file brings the English along that a console does not open with. */
addTexts(enLater);
