import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod/mini";
import { findFreePort } from "#hosts/node/testing/free-port.ts";

/** The only tab of a browser that Playwright cannot drive. */
export type Tab = {
  readonly open: (url: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function openTab(browser: string): Promise<Tab> {
  return browser === "firefox" ? openFirefox() : openWebKit();
}

const WINDOW = { width: 1400, height: 1000 };

/** Without animations, as far as the browser can. */
const FIREFOX_PREFERENCES = `user_pref("ui.prefersReducedMotion", 1);\n`;

/** Debian's Firefox, through WebDriver BiDi. */
async function openFirefox(): Promise<Tab> {
  const profile = await mkdtemp(join(tmpdir(), "vodkeep-firefox-"));
  await writeFile(join(profile, "user.js"), FIREFOX_PREFERENCES);
  const options = ["--headless", "--profile", profile, "--remote-debugging-port=0"];
  // As root, Firefox refuses a home folder of another user.
  const firefox = launch("firefox-esr", options, { HOME: profile });
  const address = await findInOutput(firefox.stderr, /BiDi listening on (ws:\S+)/);
  const socket = new WebSocket(`${address}/session`);
  await once(socket, "open");
  const pending: PromiseWithResolvers<z.infer<typeof bidiAnswer>>[] = [];
  socket.addEventListener("message", ({ data }) => {
    const answer = bidiAnswer.parse(JSON.parse(String(data)));
    pending[answer.id]?.resolve(answer);
  });

  async function send(method: string, params: object): Promise<unknown> {
    const answer = Promise.withResolvers<z.infer<typeof bidiAnswer>>();
    const id = pending.push(answer) - 1;
    socket.send(JSON.stringify({ id, method, params }));
    const { result, message } = await answer.promise;
    if (message !== undefined) throw new Error(`${method}: ${message}`);
    return result;
  }

  await send("session.new", { capabilities: {} });
  const [{ context }] = bidiTree.parse(await send("browsingContext.getTree", {})).contexts;
  await send("browsingContext.setViewport", { context, viewport: WINDOW });
  return {
    open: async (url) => {
      await send("browsingContext.navigate", { context, url, wait: "complete" });
    },
    close: async () => {
      await stop(firefox);
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

const bidiAnswer = z.object({
  id: z.number(),
  result: z.optional(z.unknown()),
  message: z.optional(z.string()),
});

const bidiTree = z.object({ contexts: z.tuple([z.object({ context: z.string() })]) });

/** Debian's WebKitGTK on a virtual screen, through classic WebDriver. */
async function openWebKit(): Promise<Tab> {
  const size = `${WINDOW.width}x${WINDOW.height}x24`;
  const xvfb = launch("Xvfb", ["-displayfd", "1", "-screen", "0", size, "-nolisten", "tcp"]);
  const display = await findInOutput(xvfb.stdout, /(\d+)/);
  const port = await findFreePort();
  const driver = launch("WebKitWebDriver", [`--port=${port}`], {
    DISPLAY: `:${display}`,
    GDK_BACKEND: "x11",
  });

  async function send(path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`http://127.0.0.1:${port}/session${path}`, {
      method: body === undefined ? "DELETE" : "POST",
      body: JSON.stringify(body),
    });
    const { value } = classicAnswer.parse(await answer.json());
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(value)}`);
    return value;
  }

  await untilListening(port);
  const started = await send("", { capabilities: { alwaysMatch: WEBKIT_CAPABILITIES } });
  const path = `/${classicSession.parse(started).sessionId}`;
  await send(`${path}/window/rect`, { x: 0, y: 0, ...WINDOW });
  return {
    open: async (url) => {
      await send(`${path}/url`, { url });
    },
    close: async () => {
      await send(path);
      await stop(driver);
      await stop(xvfb);
    },
  };
}

const WEBKIT_CAPABILITIES = {
  "webkitgtk:browserOptions": {
    binary: "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
    args: ["--automation"],
  },
};

const classicAnswer = z.object({ value: z.unknown() });

const classicSession = z.object({ sessionId: z.string() });

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch {
      await delay(20);
    } finally {
      socket.destroy();
    }
  }
}

/** Starts a program that ends with this process at the latest. */
function launch(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(command, args, {
    env: { ...process.env, TZ: "UTC", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  process.once("exit", () => child.kill());
  // What nobody reads would fill the pipes.
  child.stdout.resume();
  child.stderr.resume();
  return child;
}

async function findInOutput(output: Readable, pattern: RegExp): Promise<string> {
  const found = Promise.withResolvers<string>();
  createInterface({ input: output })
    .on("line", (line) => {
      const [, value] = pattern.exec(line) ?? [];
      if (value !== undefined) found.resolve(value);
    })
    .on("close", () => found.reject(new Error(`Ended without printing ${pattern.source}`)));
  return found.promise;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill();
  await exit;
}
