import { type ComponentType, useEffect, useState } from 'react';
import { hashOf } from '../routes.ts';
import { WORDS } from '../words.ts';
import type { Kind } from './commands.ts';
import { KeyHelp } from './key-help.tsx';
import { GLOBAL_KEYS, keysText, useGlobalKeys } from './keys.ts';
import type { ShellActs } from './shell-commands.ts';
import { go } from './use-route.ts';

type PaletteProps = { acts: ShellActs; only: Kind | null; close(): void };

/** The palette is a script of its own, which the page does not wait for. Once it is there it is drawn at once, unlike what is `lazy`. */
function usePalette(): ComponentType<PaletteProps> | null {
  const [palette, setPalette] = useState<ComponentType<PaletteProps> | null>(null);
  useEffect(() => {
    void import('./palette.tsx').then(({ Palette }) => setPalette(() => Palette));
  }, []);
  return palette;
}

type Open = { what: 'palette'; only: Kind | null } | { what: 'keys' } | null;

/** The command palette and the help about keys, with the button and the keys that open them. */
export function PaletteHost(acts: Omit<ShellActs, 'help'>) {
  const Palette = usePalette();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const help = () => setOpen({ what: 'keys' });
  const find = (only: Kind | null) =>
    setOpen((now) => (now?.what === 'palette' && now.only === only ? null : { what: 'palette', only }));
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
      <button
        type="button"
        className="palette-open"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => find(null)}
      >
        {WORDS.palette.open} <kbd>{keysText(GLOBAL_KEYS.find)}</kbd>
      </button>
      {Palette && open?.what === 'palette' ? (
        <Palette key={open.only} acts={{ ...acts, help }} only={open.only} close={close} />
      ) : null}
      {open?.what === 'keys' ? <KeyHelp close={close} /> : null}
    </>
  );
}
