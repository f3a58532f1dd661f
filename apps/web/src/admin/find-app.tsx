import type { CatalogEntry, CatalogPage } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { Loaded } from '@svc/ui';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { read } from '../account/api.ts';
import { Card } from '../account/parts.tsx';

const MAX_RESULTS = 8;
/** Time without typing after which the search starts, in milliseconds. */
const DEBOUNCE_MS = 200;

/** Debounces a text. */
function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return debounced;
}

type FindProps = {
  /** Ids of the apps that are featured already. */
  featuredIds: ReadonlySet<string>;
  isFull: boolean;
  add(app: CatalogEntry): void;
};

function Results({ apps, featuredIds, isFull, add }: FindProps & Pick<CatalogPage, 'apps'>) {
  if (apps.length === 0) return <p role="status">No apps match.</p>;
  return (
    <ul className="rows" aria-label="Matching apps">
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
            {featuredIds.has(app.appId) ? (
              <span className="badge">featured</span>
            ) : (
              <button type="button" disabled={isFull} aria-label={`Add ${name}`} onClick={() => add(app)}>
                Add
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Searches the catalogue, and adds apps to the row. */
export function FindApp(props: FindProps) {
  const [text, setText] = useState('');
  const q = useDebounced(text).trim();
  const results = useQuery({
    queryKey: ['catalogue', q],
    queryFn: () => read(apiRequest('GET /api/apps/catalog', { query: { q, limit: MAX_RESULTS } })),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  return (
    <Card title="Add an app">
      <label>
        Find an app{' '}
        <input
          id="find-app"
          type="search"
          value={text}
          maxLength={200}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      {props.isFull ? <p className="mild">The row is full. Remove an app first.</p> : null}
      {q === '' ? null : <Loaded query={results}>{({ apps }) => <Results apps={apps} {...props} />}</Loaded>}
    </Card>
  );
}
