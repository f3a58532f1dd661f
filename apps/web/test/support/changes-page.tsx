import type { Review } from '@svc/contracts';
import { createRoot } from 'react-dom/client';
import '@svc/ui/tokens.css';
import '@svc/ui/base.css';
import '@svc/ui/components.css';
import '@svc/ui/parts.css';
import '@svc/ui/widgets.css';
import '@svc/ui/changes.css';
import '../../src/style.css';
import '../../src/account/account.css';
import '../../src/moderation/moderation.css';
import '../../src/moderation/review/review.css';
import { DiffView } from '../../src/dashboard/diff-view.tsx';
import { ChangesPanel } from '../../src/moderation/review/changes-panel.tsx';

/** A page with the views of moderator and publisher on one update, which the test sets on `window`. */
const { review } = window as unknown as { review: Review };

const place = document.getElementById('page');
if (place) {
  createRoot(place).render(
    <main>
      <h1>Notes</h1>
      <div id="moderator">
        <ChangesPanel review={review} />
      </div>
      <div id="publisher" className="card">
        <h2>Publisher</h2>
        <DiffView
          diff={review.permissionDiff}
          own={{ slug: 'acme', appId: 'a' }}
          version="2.0.0"
          heading="h3"
        />
      </div>
    </main>,
  );
}
