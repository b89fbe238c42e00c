import { MailError, type MailTransport } from "#service/ports/mail.ts";
import type { SeededDice } from "../seeded-dice.ts";
import type { Faults } from "./faults.ts";
import type { Life } from "./life.ts";

export type SharedMail = ReturnType<typeof createSharedMail>;

/** The mail server. Remembers what it accepted, and what its sender cannot know it accepted. */
export function createSharedMail(faults: Faults, dice: SeededDice) {
  /** Number of times that the message of this id was accepted. */
  const accepted = new Map<string, number>();
  /** Ids of messages whose acceptance the sender may not have learned of. */
  const doubtful = new Set<string>();
  return {
    accepted,
    doubtful,
    connect: (life: Life): MailTransport => ({
      async send({ messageId }) {
        const way = { delayMs: dice.between(10, 500), answerAfterMs: dice.between(10, 2_000) };
        const isFirst = !doubtful.has(messageId);
        doubtful.add(messageId);
        await life.call(`mail ${messageId}`, way, () => {
          if (dice.chance(faults.mailRefuses)) throw new MailError("unavailable", "Busy");
          accepted.set(messageId, (accepted.get(messageId) ?? 0) + 1);
          if (dice.chance(faults.mailAnswerLost)) throw new MailError("unavailable", "No answer");
        });
        if (isFirst) doubtful.delete(messageId);
      },
      verify: () => Promise.resolve(),
    }),
  };
}
