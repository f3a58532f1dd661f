import type { CatalogEntry, CatalogPage } from '@svc/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { read } from '../account/api.ts';
import { Card, Loaded } from '../account/parts.tsx';
import { visible } from '../check/words.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.featured;
const MAX_FOUND = 8;
/** How long a person may pause within a word, in milliseconds. */
const PAUSE_MS = 200;

/** A text once it has stood still for a moment. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

type FindProps = {
  /** The ids of the apps that are there already. */
  taken: ReadonlySet<string>;
  isFull: boolean;
  add(app: CatalogEntry): void;
};

function Found({ apps, taken, isFull, add }: FindProps & Pick<CatalogPage, 'apps'>) {
  if (apps.length === 0) return <p role="status">{MESSAGES.noneFound}</p>;
  return (
    <ul className="rows" aria-label={MESSAGES.found}>
      {apps.map((app) => {
        const name = visible(app.name);
        return (
          <li key={app.appId}>
            <div>
              <bdi>{name}</bdi>
              <p className="soft">
                <bdi>{visible(app.publisher.name)}</bdi>, <code>{app.appId}</code>
              </p>
            </div>
            {taken.has(app.appId) ? (
              <span className="badge">{MESSAGES.isThere}</span>
            ) : (
              <button
                type="button"
                disabled={isFull}
                aria-label={MESSAGES.addIt(name)}
                onClick={() => add(app)}
              >
                {MESSAGES.add}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Finds apps of the catalogue by their names, and adds them. */
export function FindApp(props: FindProps) {
  const [text, setText] = useState('');
  const q = useSettled(text).trim();
  const found = useQuery({
    queryKey: ['catalogue', q],
    queryFn: () =>
      read<CatalogPage>(`/api/apps/catalog?${new URLSearchParams({ q, limit: String(MAX_FOUND) })}`),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  return (
    <Card title={MESSAGES.addTitle}>
      <label>
        {MESSAGES.find}{' '}
        <input
          id="find-app"
          type="search"
          value={text}
          maxLength={200}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      {props.isFull ? <p className="mild">{MESSAGES.full}</p> : null}
      {q === '' ? null : <Loaded query={found}>{({ apps }) => <Found apps={apps} {...props} />}</Loaded>}
    </Card>
  );
}
