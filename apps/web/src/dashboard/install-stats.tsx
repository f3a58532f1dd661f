import type { InstallChart, OwnApp } from '@svc/contracts';
import { visible } from '@svc/text';
import { Loaded, Options } from '@svc/ui';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read } from '../account/api.ts';
import { Card } from '../account/parts.tsx';
import { DayChart } from './day-chart.tsx';
import type { OwnRef } from './diff-view.tsx';
import { chartRequest, PERIODS, perVersion } from './install-sums.ts';

const PER_DAY = { installs: 'Installs per day', updates: 'Updates per day' } as const;

type Metric = 'installs' | 'updates';

function Choices({
  days,
  metric,
  choose,
}: {
  days: number;
  metric: Metric;
  choose(next: { days?: number; metric?: Metric }): void;
}) {
  return (
    <div className="choices">
      <label>
        Metric
        <select value={metric} onChange={({ target }) => choose({ metric: target.value as Metric })}>
          <option value="installs">Installs</option>
          <option value="updates">Updates</option>
        </select>
      </label>
      <label>
        Period
        <select value={days} onChange={({ target }) => choose({ days: Number(target.value) })}>
          <Options of={PERIODS.map((n) => [n, `${n} days`])} />
        </select>
      </label>
    </div>
  );
}

function PerVersion({ chart }: { chart: InstallChart }) {
  if (chart.versions.length === 0) return null;
  return (
    <>
      <h3>{`By version, last ${chart.days.length} days`}</h3>
      <table className="days">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">Installs</th>
            <th scope="col">Updates</th>
          </tr>
        </thead>
        <tbody>
          {perVersion(chart).map(({ version, installs, updates }) => (
            <tr key={version}>
              <th scope="row">{visible(version)}</th>
              <td>{installs.toLocaleString('en')}</td>
              <td>{updates.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Installs and updates of an app, by day and by version. */
export function InstallStats({ own, app }: { own: OwnRef; app: OwnApp }) {
  const [{ days, metric }, set] = useState<{ days: number; metric: Metric }>({
    days: PERIODS[0],
    metric: 'installs',
  });
  const request = chartRequest(own, days);
  const query = useQuery({
    queryKey: [request.path],
    queryFn: () => read(request),
    // The previous chart stays until the next one is loaded, so that the page does not jump.
    placeholderData: keepPreviousData,
  });
  // A version that was never published has no downloads.
  if (app.counts.published + app.counts.yanked === 0) return null;
  return (
    <Card title="Installs">
      <Choices days={days} metric={metric} choose={(next) => set({ days, metric, ...next })} />
      <Loaded query={query}>
        {(chart) => (
          <>
            <DayChart
              key={chart.from}
              title={PER_DAY[metric]}
              counts={chart.days.map((entry) => ({ day: entry.day, count: entry[metric] }))}
            />
            <PerVersion chart={chart} />
            <dl className="facts">
              <dt>Total installs</dt>
              <dd>{chart.installs.toLocaleString('en')}</dd>
            </dl>
            <p className="soft">
              Each installation counts once. Its later downloads, on another day or of another version, count
              as updates.
            </p>
          </>
        )}
      </Loaded>
    </Card>
  );
}
