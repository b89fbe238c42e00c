/** An answer that `boot.js` has asked for with a bearer, before any module was there to ask. */
type EarlyAnswer = { readonly bearer: string; readonly response: Promise<Response> };

declare global {
  /** By address. Absent without a bearer, and where nothing but this file and `boot.js` runs. */
  var earlyAnswers: Map<string, EarlyAnswer> | undefined;
}

/** Each is given out once, and only to whom it was meant for. */
export function takeEarlyAnswer(
  method: string,
  address: string,
  bearer: string | null,
): Promise<Response> | undefined {
  const early = method === "GET" ? globalThis.earlyAnswers?.get(address) : undefined;
  if (early === undefined || early.bearer !== bearer) return undefined;
  globalThis.earlyAnswers?.delete(address);
  return early.response;
}

/** Once the first screen has asked for its data: what is left would grow old. */
export function dropEarlyAnswers(): void {
  globalThis.earlyAnswers?.clear();
}
