import { parentPort } from "node:worker_threads";
import type { DigestAnswer, DigestTask } from "./digests.ts";
import { hashBytes } from "./hash-bytes.ts";

parentPort?.on("message", ({ id, algorithm, bytes }: DigestTask) => {
  const answer: DigestAnswer = { id, digest: hashBytes(algorithm, bytes) };
  parentPort?.postMessage(answer);
});
