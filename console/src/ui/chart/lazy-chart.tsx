import { lazyPart } from "../lazy-part.tsx";

/** The library that draws it is as large as a screen. */
export const Chart = lazyPart(async () => (await import("./chart.tsx")).Chart);
