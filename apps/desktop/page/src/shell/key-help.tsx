import { Button, Dialog, Facts } from '@svc/ui';
import { GLOBAL_KEYS, keysText, LOCAL_KEYS } from './keys.ts';

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

/** All keyboard shortcuts. */
export function KeyHelp({ close }: { close(): void }) {
  const leave = <Button label="Close" className="main" onClick={close} />;
  return (
    <Dialog title="Keyboard shortcuts" leave={close} buttons={leave}>
      <Keys title="On every page" keys={GLOBAL_KEYS} does={GLOBAL} />
      <Keys title="In the message field" keys={LOCAL_KEYS.composer} does={COMPOSER} />
      <Keys title="In the command palette" keys={LOCAL_KEYS.palette} does={PALETTE} />
    </Dialog>
  );
}
