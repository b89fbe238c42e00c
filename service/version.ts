/** Shown in the console's footer, in `/openapi.json` and in metrics. */
export const VERSION = "1.0.0";
