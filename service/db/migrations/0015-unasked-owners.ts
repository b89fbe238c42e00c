import type { Migration } from "../migration.ts";

/** Says why archives wait that had begun because their owner had signed in, without being asked. */
export const unaskedOwners: Migration = {
  name: "0015-unasked-owners",
  statements: [
    `UPDATE uploads SET phase = CASE status WHEN 'processing' THEN 'waiting' END,
      epoch = epoch + 1, version = version + 1, lease_owner = NULL, lease_until = NULL,
      failure_class = NULL, error_message = 'The channel''s owner was never asked for consent. The '
        || 'archive is paused, and continues if the owner agrees. To archive the VOD on your own '
        || 'confirmation of the rights, cancel this one.'
    WHERE rights = 'owner_signed_in' AND consent_text_version IS NULL
      AND status IN ('pending', 'processing')
      AND owner_id NOT IN (SELECT owner_id FROM consents WHERE withdrawn_at IS NULL)`,
  ],
};
