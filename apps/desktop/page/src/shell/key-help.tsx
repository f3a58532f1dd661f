import { Dialog } from '@svc/ui';
import { WORDS } from '../words.ts';
import { GLOBAL_KEYS, keysText, LOCAL_KEYS } from './keys.ts';

const MESSAGES = WORDS.keys;

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
      <dl className="facts">
        {(Object.keys(keys) as Name[]).map((name) => (
          <div key={name}>
            <dt>
              <kbd>{keysText(keys[name])}</kbd>
            </dt>
            <dd>{does[name]}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** The keyboard shortcuts of the page. */
export function KeyHelp({ close }: { close(): void }) {
  const leave = (
    <button type="button" className="main" onClick={close}>
      {WORDS.close}
    </button>
  );
  return (
    <Dialog title={MESSAGES.title} leave={close} buttons={leave}>
      <Keys title={MESSAGES.everywhere} keys={GLOBAL_KEYS} does={MESSAGES.global} />
      <Keys title={MESSAGES.inComposer} keys={LOCAL_KEYS.composer} does={MESSAGES.composer} />
      <Keys title={MESSAGES.inPalette} keys={LOCAL_KEYS.palette} does={MESSAGES.palette} />
    </Dialog>
  );
}
