import type { InstallChart, OwnApp } from '@svc/contracts';
import { visible } from '@svc/text';
import { count, Loaded, Select } from '@svc/ui';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';
import { DataTable } from '../admin/data-table.tsx';
import { axisEnd, barsOf, type DayCount, everyDay } from './day-bars.ts';
import type { OwnRef } from './diff-view.tsx';
import { chartRequest, PERIODS, perVersion } from './install-sums.ts';

export type { DayCount } from './day-bars.ts';

/** Formats days in UTC: in other time zones, midnight UTC may be on the previous day. */
const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const dayText = (day: string): string => DATE.format(new Date(day));

function Table({ title, days }: { title: string; days: readonly DayCount[] }) {
  return (
    <details>
      <summary>Show as a table</summary>
      <DataTable
        label={title}
        columns={[
          { label: 'Day', cell: ({ day }) => <time dateTime={day}>{dayText(day)}</time> },
          { label: title, atEnd: true, cell: ({ count }) => count },
        ]}
        rows={days}
        keyOf={({ day }) => day}
      />
    </details>
  );
}

/** A bar chart of daily counts with an axis, and the same numbers as a table. A bar shows its count while it is pointed at. */
export function DayChart({ title, counts }: { title: string; counts: readonly DayCount[] }) {
  const days = everyDay(counts);
  const [chosen, setChosen] = useState<number | null>(null);
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return <p>No days to show yet.</p>;
  const sum = days.reduce((total, dayCount) => total + dayCount.count, 0);
  const max = Math.max(...days.map((dayCount) => dayCount.count));
  const end = axisEnd(max);
  const span = `From ${dayText(first.day)} to ${dayText(last.day)}: ${sum} in total, ${max} on the busiest day.`;
  const shown = chosen === null ? undefined : days[chosen];
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <p className="soft">{shown === undefined ? span : `${dayText(shown.day)}: ${shown.count}`}</p>
      <div className="plot">
        <ol className="axis" aria-hidden="true">
          {[end, end / 2, 0].map((value) => (
            <li key={value}>{value.toLocaleString('en')}</li>
          ))}
        </ol>
        <svg
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}. ${span}`}
          onPointerLeave={() => setChosen(null)}
        >
          {barsOf(
            days.map(({ count }) => count),
            end,
          ).map((bar, index) => (
            <g key={days[index]?.day} className={index === chosen ? 'chosen' : undefined}>
              <rect {...bar} />
              {/* The whole column reacts to the pointer, however low its bar is. */}
              <rect
                className="column"
                x={(index * 100) / days.length}
                y={0}
                width={100 / days.length}
                height={100}
                onPointerEnter={() => setChosen(index)}
              />
            </g>
          ))}
        </svg>
        <p className="axis-days" aria-hidden="true">
          <span>{dayText(first.day)}</span>
          <span>{dayText(last.day)}</span>
        </p>
      </div>
      <Table title={title} days={days} />
    </figure>
  );
}

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
      <Select
        label="Metric"
        of={[
          ['installs', 'Installs'],
          ['updates', 'Updates'],
        ]}
        value={metric}
        choose={(chosen) => choose({ metric: chosen })}
      />
      <Select
        label="Period"
        of={PERIODS.map((n): [number, string] => [n, `${n} days`])}
        value={days}
        choose={(chosen) => choose({ days: chosen })}
      />
    </div>
  );
}

function PerVersion({ chart }: { chart: InstallChart }) {
  if (chart.versions.length === 0) return null;
  return (
    <>
      <h3>{`By version, last ${chart.days.length} days`}</h3>
      <DataTable
        label="Installs by version"
        columns={[
          { label: 'Version', cell: ({ version }) => visible(version) },
          { label: 'Installs', atEnd: true, cell: ({ installs }) => installs.toLocaleString('en') },
          { label: 'Updates', atEnd: true, cell: ({ updates }) => updates.toLocaleString('en') },
        ]}
        rows={perVersion(chart)}
        keyOf={({ version }) => version}
      />
    </>
  );
}

/** Installs and updates of an app, by day and by version. */
export function InstallStats({ own, app }: { own: OwnRef; app: OwnApp }) {
  const [{ days, metric }, set] = useState<{ days: number; metric: Metric }>({
    days: PERIODS[0],
    metric: 'installs',
  });
  // The previous chart stays until the next one is loaded, so that the page does not jump.
  const query = useRead(chartRequest(own, days), { placeholderData: keepPreviousData });
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
            <p className="soft">
              <strong>{`${count(chart.installs, 'install')} in total.`}</strong> Each installation counts
              once. Its later downloads, on another day or of another version, count as updates.
            </p>
          </>
        )}
      </Loaded>
    </Card>
  );
}
