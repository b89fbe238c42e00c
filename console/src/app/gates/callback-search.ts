import { searchReader, textParam } from "#console/lib/search-params.ts";

const text = textParam(512);

export const readCallbackSearch = searchReader({ code: text, state: text, error: text });
