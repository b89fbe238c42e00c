import { dashboardStats } from "#contract/dashboard.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { listUsers } from "#contract/users.ts";
import { answerChannels } from "./answer-channels.ts";
import { answerDashboard } from "./answer-dashboard.ts";
import { answerNotifications } from "./answer-notifications.ts";
import type { scriptService } from "./scripted-service.ts";

/** Answers everything, as a new installation does. */
export function answerEmpty(service: ReturnType<typeof scriptService>): void {
  const { answer } = service;
  answerDashboard(service);
  answerNotifications(service);
  answerChannels(service);
  answer(dashboardStats, () => ({
    uploads: {
      total: 0,
      today: 0,
      completed: 0,
      processing: 0,
      failed: 0,
      pending: 0,
    },
    users: { active: 1, total: 1 },
    storage: { used: 0, free: null, percentage: 0, trashBytes: 0, bytesPerDay: null },
  }));
  answer(listUsers, () => buildPage([]));
}
