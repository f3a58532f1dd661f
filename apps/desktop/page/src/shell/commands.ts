import { createContext, useContext, useEffect, useId } from 'react';

/** What the command palette finds, in the order in which it lists them while nothing is typed. */
export const KINDS = ['action', 'page', 'chat', 'app', 'panel', 'tool', 'model', 'project'] as const;

export type Kind = (typeof KINDS)[number];

/** One thing to go to or to do. Names of apps, models and conversations in it are made visible by who makes it. */
export type Command = {
  /** Unique among all commands. */
  id: string;
  kind: Kind;
  label: string;
  /** Where it belongs, or what else it is called: found too. */
  hint?: string;
  /** Keys that do the same. */
  keys?: readonly string[];
  run(): void;
};

/** Makes a command. @param id unique among those of its kind */
export const command = (kind: Kind, id: string, rest: Omit<Command, 'id' | 'kind'>): Command => ({
  ...{ id: `${kind} ${id}`, kind },
  ...rest,
});

/** The commands of what is shown, by who gives them. */
export const Commands = createContext<Map<string, readonly Command[]>>(new Map());

/** Gives the command palette these commands for as long as the component is shown. */
export function useCommands(commands: readonly Command[]): void {
  const all = useContext(Commands);
  const owner = useId();
  useEffect(() => {
    all.set(owner, commands);
    return () => void all.delete(owner);
  });
}
