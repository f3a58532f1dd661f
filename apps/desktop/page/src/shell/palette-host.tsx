import { Button } from '@svc/ui';
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { hashOf } from '../routes.ts';
import type { Kind } from './commands.ts';
import { GLOBAL_KEYS, keysText, useGlobalKeys } from './keys.ts';
import type { ShellActions } from './shell-commands.ts';
import { go } from './use-route.ts';

type PaletteProps = { actions: ShellActions; only: Kind | null; close(): void };

/** Loads the palette as a separate script, once it is near. Unlike `lazy`, it then renders without suspending. */
function usePalette(isNear: boolean): ComponentType<PaletteProps> | null {
  const [palette, setPalette] = useState<ComponentType<PaletteProps> | null>(null);
  useEffect(() => {
    if (isNear) void import('./palette.tsx').then(({ Palette }) => setPalette(() => Palette));
  }, [isNear]);
  return palette;
}

/** Whether the user is about to open the palette: a key of its shortcut is down, or its button is pointed at or has the focus. */
function useNear() {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const press = ({ key }: KeyboardEvent) => (key === 'Control' || key === 'Meta') && setNear(true);
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  const near = () => setNear(true);
  return { isNear, of: { onPointerEnter: near, onFocus: near } };
}

const KeyHelp = lazy(async () => ({ default: (await import('./key-help.tsx')).KeyHelp }));

type Open = { kind: 'palette'; only: Kind | null } | { kind: 'keys' } | null;

/** The command palette and the shortcut help, with the button and the shortcuts that open them. */
export function PaletteHost(actions: Omit<ShellActions, 'help'>) {
  const [open, setOpen] = useState<Open>(null);
  const { isNear, of } = useNear();
  const Palette = usePalette(isNear || open?.kind === 'palette');
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
      <Button
        className="palette-open"
        aria-keyshortcuts="Control+K Meta+K"
        {...of}
        onClick={() => find(null)}
      >
        Find <kbd>{keysText(GLOBAL_KEYS.find)}</kbd>
      </Button>
      {Palette && open?.kind === 'palette' ? (
        <Palette key={open.only} actions={{ ...actions, help }} only={open.only} close={close} />
      ) : null}
      <Suspense>{open?.kind === 'keys' ? <KeyHelp close={close} /> : null}</Suspense>
    </>
  );
}
