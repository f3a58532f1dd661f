import { createContext, useContext, useEffect, useId } from 'react';

/** Kinds of commands, in the order of the palette while the query is empty. */
export const KINDS = ['action', 'page', 'chat', 'app', 'panel', 'tool', 'model', 'project'] as const;

export type Kind = (typeof KINDS)[number];

/** A command of the palette. Its creator passes untrusted names through `visible`. */
export type Command = {
  /** Unique among all commands. */
  id: string;
  kind: Kind;
  label: string;
  /** Context or another name. It is searched too. */
  hint?: string;
  /** Keyboard shortcut. */
  keys?: readonly string[];
  run(): void;
};

/** Creates a command. @param id unique among commands of its kind */
export const command = (kind: Kind, id: string, rest: Omit<Command, 'id' | 'kind'>): Command => ({
  ...{ id: `${kind} ${id}`, kind },
  ...rest,
});

/** Commands of the mounted components, by their owner. */
export const Commands = createContext<Map<string, readonly Command[]>>(new Map());

/** Adds commands to the palette while the component is mounted. */
export function useCommands(commands: readonly Command[]): void {
  const all = useContext(Commands);
  const owner = useId();
  useEffect(() => {
    all.set(owner, commands);
    return () => void all.delete(owner);
  });
}
