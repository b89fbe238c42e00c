import type { DataOf } from "#contract/call.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import type { UserId } from "#contract/ids.ts";
import type { systemSetup } from "#contract/system.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { isLoopback } from "#service/loopback.ts";
import type { Messaging } from "./messaging.ts";
import { readPreferences } from "./preference-store.ts";
import { readTightestDisk, roomIn } from "#service/space/disk-space.ts";
import { readHealth } from "#service/health/health-store.ts";

type Step = DataOf<typeof systemSetup>["steps"][number];

/** What a new deployment still needs; notifications are those of this user. */
export async function readSetup(
  context: ServiceContext,
  messaging: Pick<Messaging, "senders">,
  userId: UserId,
): Promise<Step[]> {
  const { platform, settings } = context;
  const { database, runtime, clock } = platform;
  const [health, disk, completed, preferences, lastBackupAt] = await Promise.all([
    readHealth(database, runtime.startedAt, clock.now()),
    readTightestDisk(context),
    database.all(sql`SELECT 1 FROM uploads WHERE status = 'completed' LIMIT 1`),
    readPreferences(database, userId),
    runtime.lastBackupAt?.(),
  ]);
  const used = messaging.senders.filter(
    (sender) =>
      sender.unavailableReason === null &&
      sender.addressOf(preferences) !== null &&
      Object.values(preferences.enabledEvents).some((on) => on.includes(sender.channel)),
  );
  const usesStandIn = isLoopback(new URL(settings.TWITCH_ID_URL).hostname);
  const { twitch, r2Storage } = health;
  const free = disk === null ? "" : `, ${formatBytes(Math.max(0, roomIn(disk)))} free`;
  return [
    {
      step: "twitch",
      isDone: !usesStandIn && twitch.status !== "unhealthy",
      text: usesStandIn
        ? "A local stand-in makes up accounts and videos. Vodkeep's start prints the address that connects the real Twitch."
        : twitch.status === "unhealthy"
          ? (twitch.detail ?? "The checks of Twitch fail.")
          : "Sign-in works.",
    },
    {
      step: "storage",
      isDone: r2Storage.status === "healthy",
      text: `${platform.objects.name}${free}${settings.OBJECT_STORE === undefined ? ", on this machine" : ""}`,
    },
    {
      step: "archive",
      isDone: completed.length > 0,
      text: completed.length > 0 ? "Stored and proved." : "Nothing is stored yet.",
    },
    {
      step: "notifications",
      isDone: used.length > 0,
      text:
        used.length > 0
          ? `You are told by ${used.map(({ label }) => label).join(" and ")}.`
          : `You see events only here, not by Telegram or mail.${missingSenders(messaging.senders)}`,
    },
    ...(lastBackupAt === undefined
      ? []
      : [
          {
            step: "backup" as const,
            isDone: lastBackupAt !== null,
            text:
              lastBackupAt === null
                ? "No backup has been made yet."
                : `The last backup was made on ${lastBackupAt.toISOString().slice(0, 10)}.`,
          },
        ]),
  ];
}

/** The settings that would make them available, which the reasons name. */
function missingSenders(senders: Messaging["senders"]): string {
  return senders
    .flatMap(({ unavailableReason }) =>
      unavailableReason === null ? [] : [` ${unavailableReason}`],
    )
    .join("");
}
