import { BASE_PATH } from "#console/lib/base-path.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { consentText } from "./consent-text.ts";

/** What a channel's owner agrees to. `invitedBy` is null without a link. */
export function ConsentTerms({ invitedBy }: { readonly invitedBy: string | null }) {
  const { host } = window.location;
  const sections = consentText({
    host,
    invitedBy: invitedBy === null ? null : visibleText(invitedBy),
    ownPage: `${host}${BASE_PATH}/consent`,
  });
  return (
    <div className="stack gap4">
      {sections.map(({ heading, sentences }) => (
        <section key={heading} className="stack gap1">
          <h2 className="strong">{heading}</h2>
          {sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </section>
      ))}
    </div>
  );
}
