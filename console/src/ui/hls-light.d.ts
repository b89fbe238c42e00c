/** hls.js ships types for its full build only; the light one has the same face. */
declare module "hls.js/light" {
  export { default } from "hls.js";
}
