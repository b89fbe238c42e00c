import * as z from "zod/mini";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { SecretCipher } from "#service/secrets/secret-cipher.ts";

const RENEW_EVERY_MS = 3_600_000;

export function scheduleSecretRenewal(context: ServiceContext, cipher: SecretCipher): void {
  const { scheduler } = context.platform;
  if (context.settings.SECRET_KEY_PREVIOUS !== undefined)
    scheduler.every(RENEW_EVERY_MS, "webhook secrets", () => renewSecrets(context, cipher));
}

/** Encrypts with the new SECRET_KEY what was encrypted with the previous one. */
export async function renewSecrets(
  { platform: { database } }: Pick<ServiceContext, "platform">,
  cipher: SecretCipher,
): Promise<void> {
  for (const column of ["url", "secret"]) {
    const name = { sql: column, values: [] };
    const rows = await database.all(
      sql`SELECT id, ${name} AS text FROM webhooks WHERE ${name} IS NOT NULL`,
    );
    for (const row of rows) {
      const { id, text } = z.object({ id: z.string(), text: z.string() }).parse(row);
      const opened = await cipher.decrypt(text, id);
      if (opened === null || opened.isCurrent) continue;
      const renewed = await cipher.encrypt(opened.text, id);
      await database.run(
        sql`UPDATE webhooks SET ${name} = ${renewed} WHERE id = ${id} AND ${name} = ${text}`,
      );
    }
  }
}
