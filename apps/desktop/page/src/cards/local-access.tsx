import type { LocalAccess } from '@svc/runtime';
import { quoteText } from '@svc/text';
import type { ReactNode } from 'react';
import { Facts } from '../parts/parts.tsx';
import { WORDS } from '../words.ts';

const MESSAGES = WORDS.localConnector;

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
        <p className="fault">{MESSAGES.runMeans}</p>
        <Facts
          facts={[
            [MESSAGES.program, <Quoted key="program" text={access.program} />],
            [MESSAGES.args, <Items key="args" texts={access.args} none={MESSAGES.noArguments} />],
            [MESSAGES.folder, <Quoted key="folder" text={access.folder} />],
            [MESSAGES.environment, <code key="environment">{access.environment.join(', ')}</code>],
          ]}
        />
      </>
    );
  }
  return (
    <>
      <p>{MESSAGES.connectMeans}</p>
      {access.isEncrypted ? null : <p className="fault">{MESSAGES.notEncrypted(access.place)}</p>}
      <Facts
        facts={[
          [MESSAGES.address, <Quoted key="address" text={access.url} />],
          [MESSAGES.resolvesTo, <Items key="addresses" texts={access.addresses} none="" />],
          [MESSAGES.location, MESSAGES.place[access.place]],
        ]}
      />
    </>
  );
}
