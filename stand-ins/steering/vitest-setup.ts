import type { TestProject } from "vitest/node";
import { startSteeringServer, type SteeringServer } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    steeringUrl: string;
  }
}

let server: SteeringServer | null = null;

/** Runs before the first test, and `teardown` after the last; both outside workerd. */
export async function setup(project: TestProject): Promise<void> {
  server = await startSteeringServer();
  project.provide("steeringUrl", server.url);
}

export async function teardown(): Promise<void> {
  await server?.close();
}
