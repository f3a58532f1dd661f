import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '@fontsource-variable/inter/wght.css';
import '@svc/ui/tokens.css';
import '@svc/ui/base.css';
import '@svc/ui/components.css';
import '@svc/ui/parts.css';
import '@svc/ui/widgets.css';
import '@svc/ui/changes.css';
import './style.css';
import './parts/parts.css';
import './parts/forms.css';
import './store/store.css';
import './cards/cards.css';
import './tools/results.css';
import './panels/panels.css';
import './more/more.css';
import './chat/chat.css';
import './shell/palette.css';
import { Boundary, keepFocus } from '@svc/ui';
import { ConnectScreen } from './connect-screen.tsx';
import { takeKey } from './wire/session.ts';

const place = document.getElementById('page');
if (!place) throw new Error('index.html has no element with the id "page".');
// First of all: a one-time key must not stay in the address bar.
const key = takeKey(window);
// Opening another link in the same tab changes only the hash.
window.addEventListener('hashchange', () => {
  if (window.location.hash.startsWith('#key=')) window.location.reload();
});
keepFocus(place);
createRoot(place).render(
  <StrictMode>
    <Boundary>
      <ConnectScreen link={key} />
    </Boundary>
  </StrictMode>,
);
