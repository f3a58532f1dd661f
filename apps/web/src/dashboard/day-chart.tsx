import { useState } from 'react';
import { barsOf, type DayCount, everyDay } from './day-bars.ts';

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

/**
 * A bar chart of daily counts, with the same numbers as a table. A slider chooses a day by keyboard, touch or pointer, and
 * shows its count.
 */
export function DayChart({ title, counts }: { title: string; counts: readonly DayCount[] }) {
  const days = everyDay(counts);
  const [chosen, setChosen] = useState<number>();
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return <p>No days to show yet.</p>;
  const at = Math.min(chosen ?? days.length - 1, days.length - 1);
  const { day, count } = days[at] ?? last;
  const sum = days.reduce((total, dayCount) => total + dayCount.count, 0);
  const max = Math.max(...days.map((dayCount) => dayCount.count));
  const span = `From ${dayText(first.day)} to ${dayText(last.day)}: ${sum} in total, ${max} on the busiest day.`;
  const valueText = `${dayText(day)}: ${count}`;
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <p className="soft">{span}</p>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={`${title}. ${span}`}>
        {barsOf(days).map((bar, index) => (
          <g key={days[index]?.day} className={index === at ? 'chosen' : undefined}>
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
      <input
        type="range"
        aria-label={`${title}: Choose a day`}
        min={0}
        max={days.length - 1}
        value={at}
        aria-valuetext={valueText}
        onChange={({ target }) => setChosen(Number(target.value))}
      />
      <p aria-hidden="true">{valueText}</p>
      <Table title={title} days={days} />
    </figure>
  );
}
