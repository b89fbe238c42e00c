import { expect, test } from "vitest";
import { listUploads } from "#contract/uploads.ts";
import { createToken, listTokens } from "#contract/tokens.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { createTusUpload } from "#service/testing/tus-requests.ts";

type Change = {
  readonly name: string;
  readonly make: (client: TestClient) => Promise<Response>;
  /** Whether the database contains the change. */
  readonly isMade: (client: TestClient) => Promise<boolean>;
};

const CHANGES: readonly Change[] = [
  {
    name: "a call",
    make: (client) =>
      client.send("POST", createToken.path, {
        body: { name: "Mine", permissions: ["read:uploads"], expiresInDays: null },
      }),
    isMade: async (client) => (await client.expect(listTokens)).tokens.length === 1,
  },
  {
    name: "a request of the upload protocol",
    make: (client) => createTusUpload(client, { "upload-length": "1" }),
    isMade: async (client) => (await client.expect(listUploads)).total === 1,
  },
];

test.for(CHANGES)("$name is answered once its change survives a power cut", async (change) => {
  const events: string[] = [];
  let client: TestClient | null = null;
  const vodkeep = await startTestService({
    changePlatform: (platform) => ({
      ...platform,
      database: {
        ...platform.database,
        async fsync() {
          if (client === null) return;
          events.push((await change.isMade(client)) ? "synced the change" : "synced too early");
        },
      },
    }),
  });
  client = await vodkeep.signIn(ADMIN);
  expect((await change.make(client)).ok).toBe(true);
  events.push("answered");
  expect(events).toEqual(["synced the change", "answered"]);
  await vodkeep.close();
});
