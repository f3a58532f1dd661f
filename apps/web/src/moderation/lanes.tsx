import type { Change, QueueEntry } from '@svc/contracts';
import { describeChanges } from '@svc/permissions';
import { visible } from '@svc/text';
import { ChangeItem, Loaded } from '@svc/ui';
import { useRead, useSignedIn } from '../account/use-store.ts';
import { OF_WORDS } from '../first-reads.ts';
import { type Item, Lane } from './lane.tsx';
import { decideAll } from './selection.tsx';

const groupOf = (publisher: string, changes: readonly Pick<Change, 'path' | 'before' | 'after'>[]): string =>
  JSON.stringify([publisher, ...changes.map(({ path, before, after }) => [path, before, after])]);

function itemOfUpdate(entry: QueueEntry): Item {
  const { appId, version, name, publisher, submittedAt, permissionDiff } = entry;
  const { instructions, other } = describeChanges(permissionDiff.changes);
  return {
    ...{ appId, version, name, publisher, since: submittedAt },
    group: groupOf(publisher, permissionDiff.changes),
    words: (
      <>
        {permissionDiff.baseVersion === null ? null : (
          <p className="soft">{`Compared with ${visible(permissionDiff.baseVersion)}.`}</p>
        )}
        <ul className="changes instructions">
          {instructions.map((text) => (
            <ChangeItem key={text.path} text={text} tone="instructions" />
          ))}
          {other.map((text) => (
            <ChangeItem key={text.path} text={text} tone="other" />
          ))}
        </ul>
      </>
    ),
  };
}

/** Updates that wait only because words that agents read change: old and new side by side, decided with one key. */
export function Instructions() {
  const { csrf } = useSignedIn();
  const query = useRead(OF_WORDS);
  return (
    <Loaded query={query} page="Instructions">
      {({ entries }) => (
        <Lane
          title="Instructions"
          lead="Updates that change only words that agents read: names and descriptions of tools. Marked phrases give orders to the model."
          none="No changed instructions waiting"
          items={entries.map(itemOfUpdate)}
          accept={(items) => decideAll(csrf, items, 'approve', {})}
          reject={(item, json) => decideAll(csrf, [item], 'reject', json)}
          query={query}
        />
      )}
    </Loaded>
  );
}
