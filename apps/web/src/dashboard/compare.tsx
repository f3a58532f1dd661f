import type { OwnVersion } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { Loaded } from '@svc/ui';
import { useState } from 'react';
import { Card } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';
import { DiffView, type OwnRef } from './diff-view.tsx';
import { STATE_WORDS } from './state-badge.tsx';

type Versions = readonly OwnVersion[];

function Choice({
  label,
  versions,
  value,
  onChoose,
}: {
  label: string;
  versions: Versions;
  value: string;
  onChoose(version: string): void;
}) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => onChoose(target.value)}>
        {versions.map(({ version, status }) => (
          <option key={version} value={version}>
            {version} ({STATE_WORDS[status]})
          </option>
        ))}
      </select>
    </label>
  );
}

function Difference({ own, from, to }: { own: OwnRef; from: string; to: string }) {
  const diff = useRead(
    apiRequest('GET /api/publishers/:slug/apps/:appId/diff', { params: own, query: { from, to } }),
  );
  return (
    <Loaded query={diff}>{(data) => <DiffView diff={data} own={own} version={to} heading="h3" />}</Loaded>
  );
}

/** Compares two versions of an app: at first the newest with the latest published one before it. */
export function Compare({ own, versions }: { own: OwnRef; versions: Versions }) {
  const [newest, ...older] = versions;
  const published = older.find(({ status }) => status === 'published') ?? older[0];
  const [from, setFrom] = useState(published?.version ?? '');
  const [to, setTo] = useState(newest?.version ?? '');
  return (
    <Card title="Compare two versions">
      <div className="choices">
        <Choice label="From" versions={versions} value={from} onChoose={setFrom} />
        <Choice label="To" versions={versions} value={to} onChoose={setTo} />
      </div>
      <div role="status">
        {from === to ? <p>Choose two different versions.</p> : <Difference own={own} from={from} to={to} />}
      </div>
    </Card>
  );
}
