import type { Command } from "commander";

/** A shell's script, made of the program's own commands and options. */
export function completionScript(shell: "bash" | "zsh" | "fish", program: Command): string {
  const cases = program.commands.map((command) => ({
    name: command.name(),
    about: command.summary() || command.description(),
    words: [
      ...command.commands.map((each) => each.name()),
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    ],
    options: [...command.options.flatMap(({ long }) => long ?? []), "--help"],
  }));
  const names = cases.map(({ name }) => name).join(" ");
  if (shell === "fish")
    return cases
      .flatMap(({ name, about, words, options }) => [
        `complete -c vodkeep -n __fish_use_subcommand -a ${name} -d ${quote(about)}`,
        `complete -c vodkeep -n '__fish_seen_subcommand_from ${name}' -a ${quote([...words, ...options].join(" "))}`,
      ])
      .join("\n");
  return [
    // zsh runs bash's completions.
    ...(shell === "zsh" ? ["autoload -U +X bashcompinit && bashcompinit"] : []),
    "_vodkeep() {",
    '  local word="${COMP_WORDS[COMP_CWORD]}" words',
    '  case "${COMP_WORDS[1]}" in',
    ...cases.map(
      ({ name, words, options }) =>
        `    ${name}) words=${quote([...words, ...options].join(" "))} ;;`,
    ),
    "  esac",
    `  [ "$COMP_CWORD" -gt 1 ] || words=${quote(names)}`,
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    "}",
    "complete -o default -F _vodkeep vodkeep",
  ].join("\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
