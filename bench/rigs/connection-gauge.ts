import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import type { Platform } from "#service/platform.ts";

export type ConnectionGauge = ReturnType<typeof gaugeConnections>;

/**
 * Counts the concurrent connections of an invocation, of every kind that Workers count. A request
 * counts until its body is read completely, any other call until it returns.
 */
export function gaugeConnections(platform: Platform) {
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
  return {
    most: () => most,
    platform: {
      ...platform,
      database: gauge(platform.database, counted),
      objects: gauge(platform.objects, counted),
      fetch: gaugeFetch(platform.fetch, opened),
      receive: gaugeFetch(platform.fetch, opened),
      queue: gauge(platform.queue, counted),
      hub: gauge(platform.hub, counted),
    },
  };
}

type Counted = <T>(call: () => Promise<T>) => Promise<T>;

function gauge<Port extends object>(port: Port, counted: Counted): Port {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (...input: unknown[]) =>
        counted(async (): Promise<unknown> => Reflect.apply(method, target, input));
    },
  });
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
      const watched = new TransformStream<Uint8Array>({ flush: close, cancel: close });
      return new Response(response.body.pipeThrough(watched), response);
    } catch (error) {
      close();
      throw error;
    }
  };
}
