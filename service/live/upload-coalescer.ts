import type { UploadStreamMessage } from "#contract/upload-stream.ts";
import type { LiveEvent } from "#service/ports/live-hub.ts";

/** Two messages a second show progress as smoothly as people can see; more is only traffic. */
const MIN_GAP_MS = 500;

/** What is remembered of uploads that went quiet is dropped beyond this many. */
const MAX_REMEMBERED = 2_000;

export type OutgoingMessage = { readonly id: number; readonly json: string };

/**
 * Thins out an upload's progress. The newest version always gets through: what is held back is
 * replaced by newer versions only, and the end of an upload is not held back at all.
 *
 * Whoever comes back with a message's id and gets what followed it has missed nothing. While
 * something is held back, messages therefore carry the id before it.
 */
export class UploadCoalescer {
  private readonly held = new Map<string, { event: LiveEvent; dueMs: number; version: number }>();
  private readonly sentAtMs = new Map<string, number>();
  private lastId: number;

  constructor(lastId: number) {
    this.lastId = lastId;
  }

  /** What may go out at once. */
  take(event: LiveEvent, message: UploadStreamMessage, nowMs: number): readonly OutgoingMessage[] {
    this.lastId = event.id;
    if (message.type === "upload_deleted") {
      this.held.delete(message.id);
      this.sentAtMs.delete(message.id);
      return [this.outgoing(event)];
    }
    if (message.type !== "upload_update") return [this.outgoing(event)];
    const { id, version, status } = message.upload;
    const held = this.held.get(id);
    if (held !== undefined && held.version > version) return [];
    const isOpen = status === "pending" || status === "processing";
    const dueMs = (this.sentAtMs.get(id) ?? -Infinity) + MIN_GAP_MS;
    if (isOpen && nowMs < dueMs) {
      this.held.set(id, { event, dueMs, version });
      return [];
    }
    this.held.delete(id);
    this.markSent(id, nowMs);
    return [this.outgoing(event)];
  }

  /** What was held back long enough. */
  takeDue(nowMs: number): readonly OutgoingMessage[] {
    const due = [...this.held].filter(([, { dueMs }]) => dueMs <= nowMs);
    return due.map(([id, { event }]) => {
      this.held.delete(id);
      this.markSent(id, nowMs);
      return this.outgoing(event);
    });
  }

  /** When the next held message is due; null when none is held. */
  nextDueMs(): number | null {
    if (this.held.size === 0) return null;
    return Math.min(...Array.from(this.held.values(), ({ dueMs }) => dueMs));
  }

  /** Of everything up to this id the newest has been sent. */
  sentUpTo(): number {
    if (this.held.size === 0) return this.lastId;
    return Math.min(...Array.from(this.held.values(), ({ event }) => event.id)) - 1;
  }

  private outgoing(event: LiveEvent): OutgoingMessage {
    return { id: this.sentUpTo(), json: event.data };
  }

  private markSent(id: string, nowMs: number): void {
    this.sentAtMs.delete(id);
    this.sentAtMs.set(id, nowMs);
    for (const [oldest] of this.sentAtMs) {
      if (this.sentAtMs.size <= MAX_REMEMBERED) break;
      this.sentAtMs.delete(oldest);
    }
  }
}
