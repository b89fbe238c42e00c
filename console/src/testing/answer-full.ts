import { listAudit } from "#contract/audit.ts";
import { readConsentPage } from "#contract/consent.ts";
import { dashboardStats } from "#contract/dashboard.ts";
import { getFile } from "#contract/files.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { getUser, listUsers } from "#contract/users.ts";
import { ago } from "./ago.ts";
import { answerChannels } from "./answer-channels.ts";
import { answerCostsFull } from "./answer-costs-full.ts";
import { answerFiles } from "./answer-files.ts";
import { answerNotificationsFull } from "./answer-notifications-full.ts";
import { answerSystemFull } from "./answer-system-full.ts";
import { answerUploads } from "./answer-uploads.ts";
import { buildUser } from "./build-user.ts";
import { ENTRIES } from "./sample-audit-entries.ts";
import { CHANNELS } from "./sample-channels.ts";
import { FILES, WATCHED_FILE } from "./sample-files.ts";
import { UPLOADS } from "./sample-uploads.ts";
import { mountConsole } from "./mount-console.tsx";
import { scriptService } from "./scripted-service.ts";
import { signIn } from "./sign-in.ts";

const GB = 1_024 ** 3;

const USERS = [
  buildUser(1, {
    displayName: "Avery Admin",
    login: "avery",
    isAdmin: true,
    isBootstrap: true,
    permissions: [...PERMISSIONS],
    lastLoginAt: ago(3),
  }),
  buildUser(2, {
    displayName: "Somebody with a rather long name",
    email: "somebody.with.a.long.address@mail.example.com",
    isAdmin: true,
    permissions: ["read:uploads"],
    lastLoginAt: ago(5_000),
  }),
  buildUser(3, { isBanned: true, banReason: "Uploaded what was not theirs.", uploads: 3 }),
  buildUser(4),
];

/** Opens the console at an address, with every answer of `answerFull`. */
export function openFull(address: string, permissions?: Parameters<typeof signIn>[0]) {
  const service = scriptService();
  answerFull(service);
  signIn(permissions);
  return { ...service, queryClient: mountConsole(address) };
}

/** Answers everything, as a busy service does that has each kind of trouble. */
export function answerFull(service: ReturnType<typeof scriptService>): void {
  const { answer } = service;
  answerUploads(service, UPLOADS);
  answerFiles(service, FILES);
  answerChannels(service, CHANNELS);
  // This source never opens, so nothing plays. A source serves one video only.
  const videoUrl = URL.createObjectURL(new MediaSource());
  answer(getFile, () => ({ ...WATCHED_FILE, videoUrl }));
  answer(listUsers, () => buildPage(USERS));
  answer(getUser, () => buildUser(4));
  answer(listAudit, () => buildPage(ENTRIES));
  // Of a channel that is not the signed-in user's.
  answer(readConsentPage, () => ({
    channel: { twitchId: "7", login: "nova", displayName: "Nova" },
    invitedBy: "Avery Admin",
    expiresAt: "2026-12-04T10:00:00.000Z",
  }));
  answer(dashboardStats, () => ({
    uploads: { total: 1_102, today: 7, completed: 950, processing: 5, failed: 120, pending: 25 },
    users: { active: 30, total: 45 },
    storage: { used: 815 * GB, percentage: 81.5 },
  }));
  answerCostsFull(service);
  answerSystemFull(service);
  answerNotificationsFull(service);
}
