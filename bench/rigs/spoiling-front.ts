import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "#stand-ins/listen.ts";

type Rule = {
  readonly path: RegExp;
  readonly afterBytes: number;
  /** Changes a byte instead of ending the connection. */
  readonly flips?: boolean;
};

/** A proxy of a service that spoils the answers which its rules name, each once. */
export async function startSpoilingFront(serviceUrl: string) {
  const rules: Rule[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    const found = rules.findIndex((each) => each.path.test(path));
    const [rule] = found < 0 ? [] : rules.splice(found, 1);
    void (async () => {
      const { authorization, range, "content-type": type } = request.headers;
      const sent = Object.entries({ authorization, range, "content-type": type });
      const upstream = await fetch(serviceUrl + path, {
        method: request.method ?? "GET",
        headers: sent.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
        body: request.method === "POST" ? await text(request) : null,
      });
      response.writeHead(upstream.status, [...upstream.headers].flat());
      let sentBytes = 0;
      for await (const chunk of upstream.body ?? []) {
        const at = rule === undefined ? -1 : rule.afterBytes - sentBytes;
        sentBytes += chunk.length;
        if (at >= 0 && at < chunk.length) {
          if (rule?.flips !== true) throw new Error("cut");
          chunk[at] = (chunk[at] ?? 0) ^ 1;
        }
        response.write(chunk);
      }
      response.end();
    })().catch(() => response.destroy());
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    rules,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
