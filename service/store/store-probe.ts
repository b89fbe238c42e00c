import { objectKeySchema } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { claimStore } from "./store-owner.ts";

/** Under a prefix of the service, which is never listed as files. */
export const PROBE_KEY = objectKeySchema.parse("internal/health-probe");

/**
 * Checks that this deployment owns the store, and that a written object can be read back.
 * @throws {StoreError}
 */
export async function probeStore(
  context: Pick<ServiceContext, "platform" | "settings">,
): Promise<void> {
  await claimStore(context);
  const { objects, clock } = context.platform;
  const written = String(clock.now());
  await objects.put(PROBE_KEY, new TextEncoder().encode(written), { contentType: "text/plain" });
  const stored = await objects.get(PROBE_KEY);
  const read = stored === null ? "" : await new Response(stored.body).text();
  await objects.delete(PROBE_KEY);
  if (read !== written)
    throw new StoreError("unavailable", "It did not return what had just been stored.");
}
