import type { Deployment } from "#contract/auth.ts";
import type { ServiceContext } from "./context.ts";

export function deploymentOf({
  platform,
  settings,
}: Pick<ServiceContext, "platform" | "settings">): Deployment {
  if (platform.runtime.host === "cloudflare") return "cloudflare";
  return settings.OBJECT_STORE === undefined ? "folder" : "bucket";
}

/** True where no cloud is used: nobody sends a bill. */
export function isUnbilled(context: Pick<ServiceContext, "platform" | "settings">): boolean {
  return deploymentOf(context) === "folder";
}
