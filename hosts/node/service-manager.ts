import { spawn } from "node:child_process";
import process from "node:process";

/**
 * Tells systemd that the service is ready, and then, as long as the event loop turns, that it is
 * alive (sd_notify(3), Type=notify and WatchdogSec= of the unit). Does nothing under another
 * supervisor. Node cannot open systemd's datagram socket, so systemd-notify(1) writes to it.
 *
 * `onFailure` is called when that program cannot be run.
 */
export function notifyServiceManager(onFailure: (error: Error) => void): void {
  const { NOTIFY_SOCKET, WATCHDOG_USEC } = process.env;
  if (NOTIFY_SOCKET === undefined) return;
  const notify = (state: string) =>
    spawn("systemd-notify", [state], { stdio: "ignore" }).once("error", onFailure);
  notify("READY=1");
  const watchdogMs = Number(WATCHDOG_USEC ?? 0) / 1_000;
  // Half of the time, as sd_watchdog_enabled(3) recommends.
  if (watchdogMs > 0) setInterval(() => notify("WATCHDOG=1"), watchdogMs / 2).unref();
}
