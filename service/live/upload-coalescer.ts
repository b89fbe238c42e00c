import type { UploadStreamMessage } from "#contract/upload-stream.ts";
import type { LiveEvent } from "#service/ports/live-hub.ts";

/** Two messages a second look smooth; more is wasted traffic. */
const MIN_GAP_MS = 500;

/** Above this number, send times of the least recently updated uploads are dropped. */
const MAX_REMEMBERED = 2_000;

export type OutgoingMessage = { readonly id: number; readonly json: string };

/**
 * Throttles an upload's progress. The newest version is always delivered: a held message is only
 * replaced by newer versions, and the end of an upload is never held.
 *
 * A reader that resumes from a message's id must miss nothing. While a message is held, messages
 * therefore carry the id before it.
 */
export class UploadCoalescer {
  private readonly held = new Map<string, { event: LiveEvent; dueMs: number; version: number }>();
  private readonly sentAtMs = new Map<string, number>();
  private lastId: number;

  constructor(lastId: number) {
    this.lastId = lastId;
  }

  /** Returns the messages to send now. */
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

  /** Returns the held messages that are due. */
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

  /** All uploads are sent in their newest version up to this id. */
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
