import type { SystemMetrics } from "#contract/system.ts";
import type { ServiceContext } from "#service/context.ts";
import type { Principal } from "#service/http/route.ts";
import { sseMessage, sseRetry } from "./sse-message.ts";
import type { StreamClient } from "./stream-client.ts";
import type { StreamRegistry } from "./stream-registry.ts";

/** The System screen's interval (docs/console.md#intervals). */
const SEND_EVERY_MS = 5_000;

export type MetricsStream = {
  open(principal: Principal, request: Request): Promise<Response>;
  stop(): void;
};

/** Measures once for all readers, and only while there are readers. */
export function createMetricsStream(
  { platform, log }: ServiceContext,
  registry: StreamRegistry,
  readMetrics: () => Promise<SystemMetrics>,
): MetricsStream {
  const { clock } = platform;
  const readers = new Set<StreamClient>();
  const stopping = new AbortController();
  let isRunning = false;
  let messages = 0;

  async function sendWhileRead(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    while (readers.size > 0) {
      await clock.sleep(SEND_EVERY_MS, stopping.signal);
      // The last reader may have left meanwhile.
      if (stopping.signal.aborted || readers.size === 0) break;
      try {
        const bytes = await measure();
        for (const client of readers) client.send(bytes);
      } catch (error) {
        log.error("Metrics could not be measured for the stream", { error });
      }
    }
    isRunning = false;
  }

  async function measure(): Promise<Uint8Array> {
    messages += 1;
    return sseMessage(messages, JSON.stringify(await readMetrics()));
  }

  return {
    async open(principal, request) {
      const leavePlace = await registry.takePlace(principal);
      const first = await measure();
      const { client, response } = registry.open({
        principal,
        leavePlace,
        permission: "read:system",
        request,
        // Metrics are sent more often than heartbeats.
        heartbeat: () => null,
        onClosed: (closed) => readers.delete(closed),
      });
      client.send(sseRetry(SEND_EVERY_MS));
      client.send(first);
      readers.add(client);
      void sendWhileRead();
      return response;
    },
    stop() {
      stopping.abort();
    },
  };
}
