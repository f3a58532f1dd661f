import { type ReviewClock, reviewReasonText } from '@svc/contracts';
import { html } from 'hono/html';
import type { Html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';

const UNITS = [
  ['day', 24 * 3_600_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** A span in its largest unit, such as `3 hours`. */
function spanOf(ms: number | null): string {
  if (ms === null) return 'too few decisions';
  for (const [unit, size] of UNITS) {
    const count = Math.round(ms / size);
    if (count >= 1) return `${count} ${unit}${count === 1 ? '' : 's'}`;
  }
  return 'under a minute';
}

const row = (
  label: Html | string,
  { waiting, decisions, medianMs, p90Ms }: Omit<ReviewClock, 'reasons' | 'oldestAt'>,
) =>
  html`<tr><th scope="row">${label}</th><td>${waiting}</td><td>${spanOf(medianMs)}</td><td>${spanOf(p90Ms)}</td><td>${decisions}</td></tr>`;

/** How long reviews take, as a page. */
export function reviewClockPage(clock: ReviewClock): Page {
  const { oldestAt, reasons } = clock;
  const body = html`<main>
    <section>
      <h1>Review times</h1>
      <p>How long versions waited for a moderator in the last 90 days.${oldestAt === null ? '' : html` The one that waits longest was uploaded <time datetime="${oldestAt}">${oldestAt.slice(0, 10)}</time>.`}</p>
      <div class="scroll"><table>
        <thead><tr><th scope="col">Reason</th><th scope="col">Waiting</th><th scope="col">Half within</th><th scope="col">Nine of ten within</th><th scope="col">Decisions</th></tr></thead>
        <tbody>${row('All', clock)}${reasons.map((one) => row(reviewReasonText(one.reason), one))}</tbody>
      </table></div>
      <p class="hint">Times are shown from 20 decisions on. <a href="/docs/publishing">What is reviewed</a></p>
    </section>
  </main>`;
  return { title: 'Review times', body };
}
