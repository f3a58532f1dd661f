import { useState } from 'react';
import { axisEnd, barsOf, type DayCount, everyDay } from './day-bars.ts';

export type { DayCount } from './day-bars.ts';

/** Formats days in UTC: in other time zones, midnight UTC may be on the previous day. */
const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const dayText = (day: string): string => DATE.format(new Date(day));

function Table({ title, days }: { title: string; days: readonly DayCount[] }) {
  return (
    <details>
      <summary>Show as a table</summary>
      <table className="days">
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">{title}</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, count }) => (
            <tr key={day}>
              <th scope="row">
                <time dateTime={day}>{dayText(day)}</time>
              </th>
              <td>{count}</td>
            </tr>
          ))}
        </tbody>
      </table>
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
