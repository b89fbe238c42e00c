import { describeScheduler } from "#hosts/conformance/scheduler-suite.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { createTimerScheduler } from "./scheduler.ts";
import { createRecordingLogs } from "./testing/recording-logs.ts";

describeScheduler("Timers", async () => {
  const scheduler = createTimerScheduler(systemClock, createRecordingLogs());
  return { scheduler, close: () => scheduler.stop() };
});
