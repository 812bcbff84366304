// What a dispatcher needs on the air but not on the login page; it is fetched after
// the login page.
export { Live } from "./link/live";
export { default as Console } from "./view/Console.svelte";
