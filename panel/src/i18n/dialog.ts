import { enDialog } from "./en.dialog";
import "./later";
import { addTexts } from "./language.svelte";

/** Importing this file brings the English of the dialogs along. */
addTexts(enDialog);
