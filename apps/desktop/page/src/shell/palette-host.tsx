import { Button, Dialog, Facts } from '@svc/ui';
import { type ComponentType, useEffect, useState } from 'react';
import { hashOf } from '../routes.ts';
import type { Kind } from './commands.ts';
import { GLOBAL_KEYS, keysText, LOCAL_KEYS, useGlobalKeys } from './keys.ts';
import type { ShellActions } from './shell-commands.ts';
import { go } from './use-route.ts';

const GLOBAL = { find: 'Find', newChat: 'New chat', model: 'Switch model', help: 'Keyboard shortcuts' };

const COMPOSER = {
  send: 'Send',
  newLine: 'New line',
  editLast: 'Edit your last message, when the field is empty',
  stop: 'Stop the answer or cancel the edit',
};

const PALETTE = { choose: 'Next and previous', run: 'Open or run', leave: 'Close' };

function Keys<Name extends string>({
  title,
  keys,
  does,
}: {
  title: string;
  keys: Readonly<Record<Name, readonly string[]>>;
  does: Readonly<Record<Name, string>>;
}) {
  return (
    <>
      <h3>{title}</h3>
      <Facts
        facts={(Object.keys(keys) as Name[]).map(
          (name) => [<kbd key={name}>{keysText(keys[name])}</kbd>, does[name]] as const,
        )}
      />
    </>
  );
}

function KeyHelp({ close }: { close(): void }) {
  const leave = <Button label="Close" className="main" onClick={close} />;
  return (
    <Dialog title="Keyboard shortcuts" leave={close} buttons={leave}>
      <Keys title="On every page" keys={GLOBAL_KEYS} does={GLOBAL} />
      <Keys title="In the message field" keys={LOCAL_KEYS.composer} does={COMPOSER} />
      <Keys title="In the command palette" keys={LOCAL_KEYS.palette} does={PALETTE} />
    </Dialog>
  );
}

type PaletteProps = { actions: ShellActions; only: Kind | null; close(): void };

/** Loads the palette as a separate script. Unlike `lazy`, it then renders without suspending. */
function usePalette(): ComponentType<PaletteProps> | null {
  const [palette, setPalette] = useState<ComponentType<PaletteProps> | null>(null);
  useEffect(() => {
    void import('./palette.tsx').then(({ Palette }) => setPalette(() => Palette));
  }, []);
  return palette;
}

type Open = { kind: 'palette'; only: Kind | null } | { kind: 'keys' } | null;

/** The command palette and the shortcut help, with the button and the shortcuts that open them. */
export function PaletteHost(actions: Omit<ShellActions, 'help'>) {
  const Palette = usePalette();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const help = () => setOpen({ kind: 'keys' });
  const find = (only: Kind | null) =>
    setOpen((now) => (now?.kind === 'palette' && now.only === only ? null : { kind: 'palette', only }));
  useGlobalKeys((key) => {
    if (key === 'find') find(null);
    else if (key === 'model') find('model');
    else if (key === 'help') help();
    else {
      close();
      go(hashOf('chat'));
    }
  });
  return (
    <>
      <Button className="palette-open" aria-keyshortcuts="Control+K Meta+K" onClick={() => find(null)}>
        Find <kbd>{keysText(GLOBAL_KEYS.find)}</kbd>
      </Button>
      {Palette && open?.kind === 'palette' ? (
        <Palette key={open.only} actions={{ ...actions, help }} only={open.only} close={close} />
      ) : null}
      {open?.kind === 'keys' ? <KeyHelp close={close} /> : null}
    </>
  );
}
