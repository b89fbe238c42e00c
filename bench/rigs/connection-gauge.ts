import type { Database } from "#service/ports/database.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import type { Platform } from "#service/platform.ts";

/** Counts the concurrent connections of an invocation, of every kind that Workers count. */
export type ConnectionGauge = {
  readonly platform: Platform;
  most(): number;
};

/** A request counts until its body is read completely, any other call until it returns. */
export function gaugeConnections(platform: Platform): ConnectionGauge {
  let open = 0;
  let most = 0;
  function opened(): () => void {
    open += 1;
    most = Math.max(most, open);
    let isClosed = false;
    return () => {
      if (!isClosed) open -= 1;
      isClosed = true;
    };
  }
  async function counted<T>(call: () => Promise<T>): Promise<T> {
    const close = opened();
    try {
      return await call();
    } finally {
      close();
    }
  }
  const { queue, hub } = platform;
  return {
    most: () => most,
    platform: {
      ...platform,
      database: gaugeDatabase(platform.database, counted),
      objects: gaugeStore(platform.objects, counted),
      fetch: gaugeFetch(platform.fetch, opened),
      receive: gaugeFetch(platform.fetch, opened),
      queue: { ...queue, send: (message, delayMs) => counted(() => queue.send(message, delayMs)) },
      hub: { ...hub, publish: (topic, data) => counted(() => hub.publish(topic, data)) },
    },
  };
}

type Counted = <T>(call: () => Promise<T>) => Promise<T>;

function gaugeDatabase(database: Database, counted: Counted): Database {
  return {
    all: (statement) => counted(() => database.all(statement)),
    run: (statement) => counted(() => database.run(statement)),
    batch: (statements) => counted(() => database.batch(statements)),
  };
}

function gaugeStore(objects: ObjectStore, counted: Counted): ObjectStore {
  return {
    ...objects,
    put: (key, body, options) => counted(() => objects.put(key, body, options)),
    get: (key, range) => counted(() => objects.get(key, range)),
    head: (key) => counted(() => objects.head(key)),
    createMultipart: (key, options) => counted(() => objects.createMultipart(key, options)),
    uploadPart: (handle, partNumber, bytes, digest) =>
      counted(() => objects.uploadPart(handle, partNumber, bytes, digest)),
    completeMultipart: (handle, parts) => counted(() => objects.completeMultipart(handle, parts)),
  };
}

function gaugeFetch(fetch: OutgoingFetch, opened: () => () => void): OutgoingFetch {
  return async (url, init) => {
    const close = opened();
    try {
      const response = await fetch(url, init);
      if (response.body === null) {
        close();
        return response;
      }
      return new Response(closing(response.body, close), response);
    } catch (error) {
      close();
      throw error;
    }
  };
}

function closing(body: ReadableStream<Uint8Array>, close: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          close();
          controller.close();
        } else controller.enqueue(value);
      } catch (error) {
        close();
        throw error;
      }
    },
    async cancel(reason) {
      close();
      await reader.cancel(reason);
    },
  });
}
