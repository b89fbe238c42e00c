import { Link } from "@tanstack/react-router";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Page } from "#console/ui/page.tsx";
import { NAVIGATION } from "../screens.ts";
import styles from "./design-page.module.css";
import { STORY_GROUPS } from "./stories.ts";

/** Every component in every state, for visual checks during development. */
export function DesignPage() {
  return (
    <Page title="Design" subtitle="Every component in every state">
      <Card title="Screens">
        <ul className="wrap gap4">
          {NAVIGATION.map(({ path, label }) => (
            <li key={path}>
              <Link to={path}>{label}</Link>
            </li>
          ))}
        </ul>
      </Card>
      {STORY_GROUPS.map(({ title: component, stories }) => (
        <Card key={component} title={component}>
          {stories.map(({ title, Story }) => (
            <section key={title} className={classNames("wrap gap3", styles.story)}>
              <h3 className="tiny soft">{title}</h3>
              <Story />
            </section>
          ))}
        </Card>
      ))}
    </Page>
  );
}
