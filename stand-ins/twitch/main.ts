import process from "node:process";
import { startTwitchStandIn } from "./server.ts";

/** Runs the stand-in as a separate process on PORT. Prints one line of JSON when it serves. */
const { url, settings } = await startTwitchStandIn({ port: Number(process.env["PORT"] ?? 0) });
process.stdout.write(`${JSON.stringify({ ready: true, url, settings })}\n`);
