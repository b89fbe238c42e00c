import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { browserNotifications } from "#contract/browser-notifications.ts";
import { setPreferences } from "#contract/notifications.ts";
import { getUpload } from "#contract/uploads.ts";
import { openMessageWorld, type MessageWorld } from "#service/testing/message-world.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { startArchive } from "#service/testing/start-archive.ts";
import { ADMIN } from "#service/testing/test-service.ts";
import { listen } from "#stand-ins/listen.ts";

/** A provider that accepts every connection and never answers. */
type SilentProvider = {
  readonly port: number;
  /** Open connections with the data received over them. */
  readonly waiting: ReadonlyMap<Socket, string>;
  close(): void;
};

async function startSilentProvider(): Promise<SilentProvider> {
  const waiting = new Map<Socket, string>();
  const server: Server = createServer((socket) => {
    waiting.set(socket, "");
    socket.on("data", (bytes) =>
      waiting.set(socket, `${waiting.get(socket) ?? ""}${bytes.toString("latin1")}`),
    );
    socket.on("error", () => socket.destroy());
    socket.on("close", () => waiting.delete(socket));
  });
  return {
    port: await listen(server),
    waiting,
    close() {
      server.close();
      for (const socket of waiting.keys()) socket.destroy();
    },
  };
}

let provider: SilentProvider;
let world: MessageWorld;
beforeEach(async () => {
  provider = await startSilentProvider();
});
afterEach(async () => {
  provider.close();
  await world.close();
});

const CHANNELS = {
  telegram: {
    settings: (port: number) => ({ TELEGRAM_API_URL: `http://127.0.0.1:${port}` }),
    // The bot polls for messages at the same address.
    isSending: (sent: string) => sent.includes("/sendMessage"),
    arrivedElsewhere: () => world.mail.mails.length,
  },
  email: {
    settings: (port: number) => ({ SMTP_URL: `smtp://127.0.0.1:${port}` }),
    isSending: () => true,
    arrivedElsewhere: () => world.telegram.people.list()[0]?.messages.length ?? 0,
  },
};

/** A send times out after eight seconds; on a slow machine one attempt may exceed that. */
const TRIES = 5;

test.each(["telegram", "email"] as const)(
  "uploads complete and the other channels report them while %s never responds",
  async (silent) => {
    const { settings, isSending, arrivedElsewhere } = CHANNELS[silent];
    world = await openMessageWorld({ starts: true, settings: settings(provider.port) });
    const admin = await world.signIn(ADMIN);
    const [dana] = world.telegram.people.list();
    if (dana === undefined) throw new Error("The stand-in knows nobody");
    dana.hasStarted = true;
    const preferences = {
      telegramUserId: String(dana.id),
      email: "dana@example.org",
      enabledEvents: { upload_completed: ["browser", "telegram", "email"] },
    };
    await admin.expect(setPreferences, undefined, { body: { preferences } });

    let uploads = 0;
    async function archiveAndHear(): Promise<void> {
      await archive(admin);
      uploads += 1;
      await vi.waitFor(() => expect(arrivedElsewhere()).toBe(uploads), 180_000);
    }
    await archiveAndHear();
    let wasWaiting = false;
    for (let tries = 0; tries < TRIES && !wasWaiting; tries += 1) {
      const socket = await vi.waitFor(() => {
        const found = [...provider.waiting].find(([, sent]) => isSending(sent));
        if (found === undefined) throw new Error("Nobody sends anything");
        return found[0];
      }, 180_000);
      await archiveAndHear();
      wasWaiting = provider.waiting.has(socket);
    }
    // An upload started, ended and was reported on other channels within one wait for the provider.
    expect(wasWaiting).toBe(true);
    expect((await admin.expect(browserNotifications)).unread).toBe(uploads);
  },
);

async function archive(admin: TestClient): Promise<void> {
  const vod = await world.twitch.control.addVod({ segmentCount: 2, segmentSizeBytes: 20_000 });
  const { id } = await startArchive(admin, vod.id);
  await vi.waitFor(async () => {
    const { status } = await admin.expect(getUpload, `/admin/uploads/${id}`);
    expect(status).toBe("completed");
  }, 180_000);
}
