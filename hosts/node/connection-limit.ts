import type { Server } from "node:net";
import { addressGroups } from "#service/http/address-groups.ts";

export type ConnectionLimit = {
  readonly maxPerAddress: number;
  /** Addresses that may stand for many clients, such as a trusted proxy's. */
  readonly isExempt: (address: string) => boolean;
};

/**
 * Closes new connections of an address (IPv6: of its /64) that has as many open as it may, so that
 * silent ones of one client do not use up the process's descriptors.
 */
export function limitConnections(
  server: Server,
  { maxPerAddress, isExempt }: ConnectionLimit,
): void {
  const open = new Map<string, number>();
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "unknown";
    if (isExempt(address)) return;
    const [group] = addressGroups(address);
    const name = group?.name ?? address;
    const count = open.get(name) ?? 0;
    if (count >= maxPerAddress) {
      socket.destroy();
      return;
    }
    open.set(name, count + 1);
    socket.once("close", () => {
      const left = (open.get(name) ?? 1) - 1;
      if (left === 0) open.delete(name);
      else open.set(name, left);
    });
  });
}
