import { listAudit } from "#contract/audit.ts";
import { validate } from "#contract/auth.ts";
import { addressOf } from "#contract/call-request.ts";
import { listVods } from "#contract/channel-vods.ts";
import { getChannel, listChannels } from "#contract/channels.ts";
import { dashboardView } from "#contract/dashboard.ts";
import { browseFiles, fileStats } from "#contract/files.ts";
import { DEFAULT_BROWSE_PAGE_SIZE, DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import { getPreferences, notificationConfig } from "#contract/notifications.ts";
import { systemMetrics } from "#contract/system.ts";
import { getUpload, listFailedUploads, listUploads, uploadWork } from "#contract/uploads.ts";
import { listUsers } from "#contract/users.ts";

const page = 1;
const limit = DEFAULT_PAGE_SIZE;
/** `boot.js` puts what the browser knows in the place of names in capitals. */
const day = { dayStart: "DAY_START" };
const chosen = { page, limit: "PAGE_SIZE" };
const params = { id: "LAST_PART" };
const sortOrder = "desc";

/**
 * What each screen's loader asks for if its address has no search parameters, and the session check
 * before it. An address that the console forms in another way would be asked for twice, which
 * `first-calls.browser.test.tsx` notices.
 */
export const FIRST_CALLS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({
    dashboard: [`${addressOf(dashboardView, { query: day })}&FIRST_STEPS`],
    uploads: [addressOf(listUploads, { query: chosen }), addressOf(uploadWork, { query: day })],
    channels: [
      addressOf(listChannels, {
        query: { page, sortBy: "lastVodAt", sortOrder, limit: "PAGE_SIZE" },
      }),
    ],
    "failed-uploads": [addressOf(listFailedUploads, { query: { page, limit } })],
    files: [
      addressOf(browseFiles, {
        query: {
          page,
          chunks: "hidden",
          sortBy: "date",
          sortOrder,
          limit: DEFAULT_BROWSE_PAGE_SIZE,
        },
      }),
      addressOf(fileStats),
    ],
    users: [addressOf(listUsers, { query: { page, sortBy: "lastLoginAt", sortOrder, limit } })],
    notifications: [addressOf(notificationConfig), addressOf(getPreferences)],
    system: [addressOf(systemMetrics)],
    watch: [addressOf(getUpload, { params })],
    channel: [
      addressOf(listVods, { params, query: { sortBy: "recordedAt", sortOrder, page, limit } }),
      addressOf(getChannel, { params }),
    ],
    audit: [addressOf(listAudit, { query: { page, limit } })],
  }).map(([name, calls]) => [name, [addressOf(validate), ...calls]]),
);
