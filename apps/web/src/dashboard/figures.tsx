import type { InstallChart, OwnApp } from '@svc/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read } from '../account/api.ts';
import { Card, Loaded } from '../account/parts.tsx';
import { visible } from '../check/words.ts';
import { DayChart } from './day-chart.tsx';
import { PERIODS, pathOfChart, perVersion } from './install-sums.ts';
import { WORDS } from './words.ts';

const { figures: words } = WORDS;

type Shown = 'installs' | 'updates';

function Choices({
  days,
  shown,
  choose,
}: {
  days: number;
  shown: Shown;
  choose(next: { days?: number; shown?: Shown }): void;
}) {
  return (
    <div className="choices">
      <label>
        {words.what}
        <select value={shown} onChange={({ target }) => choose({ shown: target.value as Shown })}>
          <option value="installs">{words.shown.installs}</option>
          <option value="updates">{words.shown.updates}</option>
        </select>
      </label>
      <label>
        {words.period}
        <select value={days} onChange={({ target }) => choose({ days: Number(target.value) })}>
          {PERIODS.map((n) => (
            <option key={n} value={n}>
              {words.days(n)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function PerVersion({ chart }: { chart: InstallChart }) {
  if (chart.versions.length === 0) return null;
  return (
    <>
      <h3>{words.perVersion(chart.days.length)}</h3>
      <table className="days">
        <thead>
          <tr>
            <th scope="col">{words.version}</th>
            <th scope="col">{words.shown.installs}</th>
            <th scope="col">{words.shown.updates}</th>
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

/** How often an app was installed and updated, by day and by version. */
export function Figures({ path, app }: { path: string; app: OwnApp }) {
  const [{ days, shown }, set] = useState<{ days: number; shown: Shown }>({
    days: PERIODS[0],
    shown: 'installs',
  });
  const address = pathOfChart(path, days);
  const query = useQuery({
    queryKey: [address],
    queryFn: () => read<InstallChart>(address),
    // The chart of the last period stands until the next is there, so that nothing jumps.
    placeholderData: keepPreviousData,
  });
  // Nobody can have fetched what never was published.
  if (app.counts.published + app.counts.yanked === 0) return null;
  return (
    <Card title={words.title}>
      <Choices days={days} shown={shown} choose={(next) => set({ days, shown, ...next })} />
      <Loaded query={query}>
        {(chart) => (
          <>
            <DayChart
              key={chart.from}
              title={words.perDay[shown]}
              counts={chart.days.map((one) => ({ day: one.day, count: one[shown] }))}
            />
            <PerVersion chart={chart} />
            <dl className="facts">
              <dt>{words.installs}</dt>
              <dd>{chart.installs.toLocaleString('en')}</dd>
            </dl>
            <p className="soft">{words.hint}</p>
          </>
        )}
      </Loaded>
    </Card>
  );
}
