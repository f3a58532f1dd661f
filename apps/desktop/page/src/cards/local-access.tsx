import type { LocalAccess } from '@svc/runtime';
import { quoteText } from '@svc/text';
import { Facts } from '@svc/ui';
import type { ReactNode } from 'react';

const PLACE = { 'this-machine': 'on this computer', 'local-network': 'on your local network' };

/** More than the runtime accepts, so nothing is cut off. */
const MAX_CHARACTERS = 10_000;

/** A quoted text with ambiguous characters escaped, so that the end of an argument is always clear. */
const Quoted = ({ text }: { text: string }) => <code>{quoteText(text, MAX_CHARACTERS)}</code>;

function Items({ texts, none }: { texts: readonly string[]; none: string }) {
  if (texts.length === 0) return none;
  return (
    <ol>
      {texts.map((text, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an argument may repeat, and the list does not change
        <li key={i}>
          <Quoted text={text} />
        </li>
      ))}
    </ol>
  );
}

/** What a local connector runs, or connects to. */
export function localAccess(access: LocalAccess): ReactNode {
  if (access.kind === 'command') {
    return (
      <>
        <p className="fault">
          The program runs as you: it can read and change your files and use your network. Run only programs
          you trust. It starts each time you or an agent uses this connector.
        </p>
        <Facts
          facts={[
            ['Program', <Quoted key="program" text={access.program} />],
            ['Arguments', <Items key="args" texts={access.args} none="none" />],
            ['Working folder', <Quoted key="folder" text={access.folder} />],
            [
              'Environment variables it receives',
              <code key="environment">{access.environment.join(', ')}</code>,
            ],
          ]}
        />
      </>
    );
  }
  return (
    <>
      <p>Tool calls are sent to this address and to no other.</p>
      {access.isEncrypted ? null : (
        <p className="fault">
          {access.place === 'this-machine'
            ? 'Not encrypted. Another program on this computer could answer at this address.'
            : 'Not encrypted. Other devices on the network can read and change what is sent.'}
        </p>
      )}
      <Facts
        facts={[
          ['Address', <Quoted key="address" text={access.url} />],
          ['Resolves to', <Items key="addresses" texts={access.addresses} none="" />],
          ['Location', PLACE[access.place]],
        ]}
      />
    </>
  );
}
