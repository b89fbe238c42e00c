import type { ServiceContext } from "#service/context.ts";
import type { Sources } from "#service/source/source.ts";
import { restartShortChats } from "#service/storage/chat-record.ts";
import { newLeaseOwner } from "#service/storage/lease.ts";
import { dueChats, takeChat } from "./chat-lease.ts";
import { readChatSlice } from "./chat-slice.ts";

/** Reads chats in this process. The database decides which ones are due. */
export type Chats = {
  /**
   * Reads one slice of each of the chats that are due longest. Call every few seconds, on any number
   * of hosts. A fault of one chat delays no other.
   */
  sweep(): Promise<void>;
  /** Has chats with short seconds read again that are due. Call every hour. */
  readShortAgain(): Promise<void>;
  /** Ends the slices that are being read, keeps what they read, and begins no more. */
  stop(): Promise<void>;
};

/** Twitch sees so many more readers; a chat waits for a page most of the time. */
const CHATS_AT_A_TIME = 3;

export function createChats(context: ServiceContext, sources: Sources): Chats {
  const owner = newLeaseOwner(context.platform);
  const stopping = new AbortController();
  let sweeping: Promise<unknown> = Promise.resolve();

  async function read(uploadId: Awaited<ReturnType<typeof dueChats>>[number]): Promise<void> {
    try {
      const chat = await takeChat(context.platform, owner, uploadId);
      if (chat !== null) await readChatSlice(context, sources, chat, stopping.signal);
    } catch (error) {
      // Its lease expires.
      context.log.error("A slice of a chat replay failed", { uploadId, error });
    }
  }

  return {
    async sweep() {
      if (stopping.signal.aborted) return;
      const due = await dueChats(context.platform, owner, CHATS_AT_A_TIME);
      sweeping = Promise.all(due.map(read));
      await sweeping;
    },
    async readShortAgain() {
      const { clock, database } = context.platform;
      await database.run(restartShortChats(clock.now()));
    },
    async stop() {
      stopping.abort(new Error("The service stops"));
      await sweeping;
    },
  };
}
