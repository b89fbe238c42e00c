import type { ComponentType } from "react";

/** A component's states: each export of a `*.stories.tsx` next to it renders one. */
export type StoryGroup = {
  readonly title: string;
  readonly stories: readonly {
    readonly id: string;
    readonly title: string;
    readonly Story: ComponentType;
  }[];
};

const MODULES = import.meta.glob<Readonly<Record<string, ComponentType>>>(
  "../../{ui,features}/**/*.stories.tsx",
  { eager: true },
);

export const STORY_GROUPS: readonly StoryGroup[] = Object.entries(MODULES).map(
  ([path, stories]) => {
    const component = path.replace(/^.*\/(.+)\.stories\.tsx$/, "$1");
    return {
      title: sentenceOf(component.replaceAll("-", " ")),
      stories: Object.entries(stories).map(([name, Story]) => ({
        id: `${component}-${name}`,
        title: sentenceOf(name.replaceAll(/\B[A-Z]/g, " $&")),
        Story,
      })),
    };
  },
);

/** "confirm dialog" or "With Hint" as "Confirm dialog" and "With hint". */
function sentenceOf(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}
