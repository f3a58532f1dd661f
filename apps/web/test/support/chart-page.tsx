import { createRoot } from 'react-dom/client';
import '../../src/style.css';
import '../../src/account/account.css';
import '../../src/dashboard/dashboard.css';
import { DayChart } from '../../src/dashboard/install-stats.tsx';

/** A page with a chart only: installs of sixty days, with gaps. */
const COUNTS = Array.from({ length: 60 }, (_, index) => ({
  day: new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10),
  count: Math.round(40 + 35 * Math.sin(index / 5)) + (index === 59 ? 7 : 0),
})).filter((_, index) => index % 9 !== 4);

const place = document.getElementById('page');
if (place) {
  createRoot(place).render(
    <main>
      <h1>Notes</h1>
      <section className="card">
        <DayChart title="Installs per day" counts={COUNTS} />
      </section>
    </main>,
  );
}
