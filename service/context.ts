import type { Logger } from "./logger.ts";
import type { Platform } from "./platform.ts";
import type { Settings } from "./settings.ts";

/** Shared dependencies of every feature; created once at start. */
export type ServiceContext = {
  readonly platform: Platform;
  readonly settings: Settings;
  readonly log: Logger;
};
