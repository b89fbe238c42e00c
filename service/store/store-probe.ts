import { objectKeySchema } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { StoreError } from "#service/ports/object-store.ts";

/** Under a prefix of the service, which is never listed as files. */
export const PROBE_KEY = objectKeySchema.parse("internal/health-probe");

/** Never stored: only an answer that an object is absent shows that the store is ours. */
const ABSENT_KEY = objectKeySchema.parse("internal/health-ping");

type Context = Pick<ServiceContext, "platform">;

/** Checks that a written object can be read back. @throws {StoreError} */
export async function probeStore(context: Context): Promise<void> {
  const { objects, clock } = context.platform;
  const written = String(clock.now());
  await objects.put(PROBE_KEY, new TextEncoder().encode(written), { contentType: "text/plain" });
  const stored = await objects.get(PROBE_KEY);
  const read = stored === null ? "" : await new Response(stored.body).text();
  await objects.delete(PROBE_KEY);
  if (read !== written)
    throw new StoreError("unavailable", "It did not return what had just been stored.");
}

/**
 * Checks that the store answers and is ours. By GET, because an answer to HEAD has no body to give
 * the reason of a refusal. @throws {StoreError}
 */
export async function pingStore({ platform }: Context): Promise<void> {
  await (await platform.objects.get(ABSENT_KEY))?.body.cancel();
}
