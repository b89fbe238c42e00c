import { BASE_PATH } from "#console/lib/base-path.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { classNames } from "#console/ui/class-names.ts";
import layout from "#console/ui/layout.module.css";
import styles from "./consent.module.css";
import { consentText } from "./consent-text.ts";

export function ConsentTerms({ invitedBy }: { readonly invitedBy: string }) {
  const { host } = window.location;
  const sections = consentText({
    host,
    invitedBy: visibleText(invitedBy),
    ownPage: `${host}${BASE_PATH}/consent`,
  });
  return (
    <div className={classNames(layout.stack, layout.gap4, styles.terms)}>
      {sections.map(({ heading, sentences }) => (
        <section key={heading}>
          <h2 className={styles.heading}>{heading}</h2>
          {sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </section>
      ))}
    </div>
  );
}
