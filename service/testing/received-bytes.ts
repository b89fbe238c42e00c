import { isDirectBody, type ReceivedResponse } from "#service/ports/receive.ts";

/** Reads the body of a response, in whichever form it comes. */
export async function receivedBytes({ body }: ReceivedResponse): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  if (!isDirectBody(body)) return new Uint8Array(await new Response(body).arrayBuffer());
  const bytes = new Uint8Array(body.sizeBytes);
  await body.receive(bytes, () => undefined);
  return bytes;
}
