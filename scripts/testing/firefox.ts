import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import * as z from "zod/mini";

/** The only tab of the browser. */
export type Tab = {
  readonly open: (url: string) => Promise<void>;
  /** Evaluates an expression in the page; its value must be a string. */
  readonly evaluate: (expression: string) => Promise<string>;
  /** Moves the pointer there and clicks. */
  readonly click: (at: Point) => Promise<void>;
  /** Presses keys one after another; characters beyond U+E000 are WebDriver's special keys. */
  readonly press: (keys: string) => Promise<void>;
  /** Chooses a file in the first file input. */
  readonly chooseFile: (path: string) => Promise<void>;
  /** A PNG file. */
  readonly screenshot: () => Promise<Buffer>;
  /** Errors and warnings of the console, and uncaught errors. */
  readonly complaints: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

export type Point = { readonly x: number; readonly y: number };

const WINDOW = { width: 1400, height: 1000 };

/** Without animations, as far as the browser can. */
const FIREFOX_PREFERENCES = `user_pref("ui.prefersReducedMotion", 1);\n`;

/** Starts Debian's Firefox, which Playwright cannot drive, and speaks WebDriver BiDi to it. */
export async function openTab(): Promise<Tab> {
  const profile = await mkdtemp(join(tmpdir(), "vodkeep-firefox-"));
  await writeFile(join(profile, "user.js"), FIREFOX_PREFERENCES);
  const options = ["--headless", "--profile", profile, "--remote-debugging-port=0"];
  // As root, Firefox refuses a home folder of another user.
  const firefox = launch("firefox-esr", options, { HOME: profile });
  const address = await findInOutput(firefox.stderr, /BiDi listening on (ws:\S+)/);
  const socket = new WebSocket(`${address}/session`);
  await once(socket, "open");
  const pending: PromiseWithResolvers<z.infer<typeof bidiAnswer>>[] = [];
  const complaints: string[] = [];
  socket.addEventListener("message", ({ data }) => {
    const message: unknown = JSON.parse(String(data));
    const logged = bidiLogged.safeParse(message);
    if (logged.success) {
      const { level, text } = logged.data.params;
      if (level === "error" || level === "warn") complaints.push(text ?? level);
      return;
    }
    const answer = bidiAnswer.parse(message);
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

  async function evaluate(expression: string): Promise<z.infer<typeof bidiValue>> {
    const params = { expression, target: { context }, awaitPromise: true };
    return bidiEvaluated.parse(await send("script.evaluate", params)).result;
  }

  await send("session.new", { capabilities: {} });
  const [{ context }] = bidiTree.parse(await send("browsingContext.getTree", {})).contexts;
  await send("browsingContext.setViewport", { context, viewport: WINDOW });
  await send("session.subscribe", { events: ["log.entryAdded"] });
  return {
    open: async (url) => {
      await send("browsingContext.navigate", { context, url, wait: "complete" });
    },
    evaluate: async (expression) => z.string().parse((await evaluate(expression)).value),
    click: async (at) => {
      await send("input.performActions", { context, actions: [pointerActions(at)] });
    },
    press: async (keys) => {
      await send("input.performActions", { context, actions: [keyActions(keys)] });
    },
    chooseFile: async (path) => {
      const { sharedId } = await evaluate(FILE_INPUT);
      await send("input.setFiles", { context, element: { sharedId }, files: [path] });
    },
    screenshot: async () => {
      const shot = await send("browsingContext.captureScreenshot", { context });
      return Buffer.from(bidiScreenshot.parse(shot).data, "base64");
    },
    complaints: async () => complaints,
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

const bidiLogged = z.object({
  method: z.literal("log.entryAdded"),
  params: z.object({ level: z.string(), text: z.nullable(z.string()) }),
});

const bidiValue = z.object({
  value: z.optional(z.unknown()),
  sharedId: z.optional(z.string()),
});

/** Without a result, the expression threw. */
const bidiEvaluated = z.object({ result: bidiValue });

const bidiScreenshot = z.object({ data: z.string() });

const bidiTree = z.object({ contexts: z.tuple([z.object({ context: z.string() })]) });

const FILE_INPUT = `document.querySelector("input[type='file']")`;

function pointerActions(at: Point) {
  const actions = [
    { type: "pointerMove", x: Math.round(at.x), y: Math.round(at.y) },
    { type: "pointerDown", button: 0 },
    { type: "pointerUp", button: 0 },
  ];
  return { type: "pointer", id: "mouse", actions };
}

function keyActions(keys: string) {
  const actions = keys.split("").flatMap((value) => [
    { type: "keyDown", value },
    { type: "keyUp", value },
  ]);
  return { type: "key", id: "keyboard", actions };
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
