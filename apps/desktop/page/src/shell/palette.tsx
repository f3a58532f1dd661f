import { Command as Menu } from 'cmdk';
import { useLayoutEffect, useRef, useState } from 'react';
import type { Command, Kind } from './commands.ts';
import { findCommands } from './find-commands.ts';
import { keysText } from './keys.ts';
import { type ShellActions, useAllCommands } from './shell-commands.ts';

const TITLE = 'Find a page, an app or an action';

const KINDS = {
  action: 'Actions',
  page: 'Pages',
  chat: 'Conversations',
  app: 'Apps',
  panel: 'Panels',
  tool: 'Tools',
  model: 'Models',
  project: 'Projects',
};

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
 * The command palette: finds pages, apps, panels, tools, conversations, models, projects and actions.
 * @param only the kind to search; null for all
 */
export function Palette({
  actions,
  only,
  close,
}: {
  actions: ShellActions;
  only: Kind | null;
  close(): void;
}) {
  const [query, setQuery] = useState('');
  // The command selected with the arrow keys since the last input; otherwise the first result is selected.
  const [moved, setMoved] = useState<string | null>(null);
  const { commands, given, isSearching } = useAllCommands(actions, query);
  const groups = findCommands(commands, query, only, given);
  const ids = groups.flatMap((group) => group.commands.map(({ id }) => id));
  const selected = moved !== null && ids.includes(moved) ? moved : (ids[0] ?? '');
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  // Opened before the first paint, so that it gets the next key press. Closed before it is removed, which restores the focus.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    input.current?.focus();
    return () => shown?.close();
  }, []);
  const run = (command: Command) => {
    // Closed first, which restores the focus: the command may move it.
    dialog.current?.close();
    close();
    command.run();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the dialog by its `cancel` event
    <dialog
      ref={dialog}
      className="palette"
      aria-label={TITLE}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <Menu
        label={TITLE}
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
          placeholder={only === 'model' ? 'Switch model' : 'Find pages, apps, tools, conversations, actions…'}
        />
        {/* Outside of the list, which may contain options only. */}
        {groups.length === 0 ? (
          <p role="status" className="palette-empty">
            {isSearching ? 'Searching…' : 'No results.'}
          </p>
        ) : null}
        <Menu.List label="Results">
          {groups.map((group) => (
            <Menu.Group key={group.kind} heading={KINDS[group.kind]}>
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
