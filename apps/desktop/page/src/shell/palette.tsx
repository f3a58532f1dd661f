import { Command as Menu } from 'cmdk';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { WORDS } from '../words.ts';
import type { Command, Kind } from './commands.ts';
import { findCommands } from './find-commands.ts';
import { keysText } from './keys.ts';
import { type ShellActs, useAllCommands } from './shell-commands.ts';

const MESSAGES = WORDS.palette;

/** How long typing has to rest before conversations are searched, in milliseconds. */
const REST_MS = 150;

/** A value once it has stayed the same for a moment. */
function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}

function Row({ command: { id, label, hint, keys }, run }: { command: Command; run(): void }) {
  return (
    <Menu.Item value={id} onSelect={run}>
      <span className="palette-label">{label}</span>
      {hint === undefined ? null : <span className="soft">{hint}</span>}
      {keys === undefined ? null : <kbd>{keysText(keys)}</kbd>}
    </Menu.Item>
  );
}

/**
 * One box that finds pages, apps, panels, tools, conversations, models, projects and actions.
 * @param only the one kind to find; all when it is null
 */
export function Palette({ acts, only, close }: { acts: ShellActs; only: Kind | null; close(): void }) {
  const [query, setQuery] = useState('');
  // Where the user moved since they typed; the first that is found until then, also when more is found later.
  const [moved, setMoved] = useState<string | null>(null);
  const { commands, given } = useAllCommands(acts, useRested(query));
  const found = findCommands(commands, query, only, given);
  const ids = found.flatMap((group) => group.commands.map(({ id }) => id));
  const selected = moved !== null && ids.includes(moved) ? moved : (ids[0] ?? '');
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  // Before anything is drawn, as the next key is meant for it; and closed while it is there, so that it gives the focus back.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    input.current?.focus();
    return () => shown?.close();
  }, []);
  const run = (command: Command) => {
    // Closed first: that gives the focus back to where it was, and the command may move it.
    dialog.current?.close();
    close();
    command.run();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the way out by key is Escape, which a dialog tells as `cancel`
    <dialog
      ref={dialog}
      className="palette"
      aria-label={MESSAGES.title}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <Menu
        label={MESSAGES.title}
        value={selected}
        onValueChange={setMoved}
        shouldFilter={false}
        vimBindings={false}
        loop
      >
        <Menu.Input
          ref={input}
          value={query}
          onValueChange={(text) => {
            setQuery(text);
            setMoved(null);
          }}
          placeholder={only === 'model' ? MESSAGES.switchModel : MESSAGES.placeholder}
        />
        {/* Beside the list, in which nothing but what can be chosen may stand. */}
        {found.length === 0 ? (
          <p role="status" className="palette-empty">
            {MESSAGES.noResults}
          </p>
        ) : null}
        <Menu.List label={MESSAGES.results}>
          {found.map((group) => (
            <Menu.Group key={group.kind} heading={MESSAGES.kinds[group.kind]}>
              {group.commands.map((command) => (
                <Row key={command.id} command={command} run={() => run(command)} />
              ))}
            </Menu.Group>
          ))}
        </Menu.List>
      </Menu>
    </dialog>
  );
}
