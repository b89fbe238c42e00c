import { searchReader, textParam } from "#console/lib/search-params.ts";

/** `t` is where to start, e.g. `1h2m3s`. */
export const readWatchSearch = searchReader({ t: textParam(16) });

export type WatchSearch = ReturnType<typeof readWatchSearch>;
