import { BASE_PATH } from "#console/lib/base-path.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { classNames } from "#console/ui/class-names.ts";
import layout from "#console/ui/layout.module.css";
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
    <div className={classNames(layout.stack, layout.gap4)}>
      {sections.map(({ heading, sentences }) => (
        <section key={heading} className={classNames(layout.stack, layout.gap1)}>
          <h2 className={layout.strong}>{heading}</h2>
          {sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </section>
      ))}
    </div>
  );
}
